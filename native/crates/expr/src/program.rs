//! Expressions as one graph, in which equal parts stand once, and their evaluation over the rows of a batch.

use crate::column::{Column, Rows, Truth, arrow_error, hide};
use crate::compile::Compiler;
use crate::failure::{Failure, Outcome};
use arrow_array::{Array, ArrayRef, BooleanArray, cast::AsArray};
use arrow_buffer::BooleanBuffer;
use arrow_select::filter::{FilterBuilder, FilterPredicate};
use arrow_select::interleave::interleave;
use sf_batch::{Batch, arrow_type};
use sf_core::{Error, Result};
use sf_plan::{DataType, RowType, proto};
use std::fmt;

/// What a function computes from its arguments.
pub(crate) type Kernel = Box<dyn Fn(&[Column], &Rows<'_>) -> Outcome<Column> + Send + Sync>;

/// Position of a node in its program.
pub(crate) type NodeId = usize;

pub(crate) enum Kind {
    Input(usize),
    Field(NodeId, usize),
    Constant(ArrayRef),
    /// The same values under another type.
    Alias(NodeId),
    Call(Kernel, Vec<NodeId>),
    And(Vec<NodeId>),
    Or(Vec<NodeId>),
    Case(Vec<(NodeId, NodeId)>, NodeId),
}

pub(crate) struct Node {
    pub kind: Kind,
    pub data_type: DataType,
    /// For messages.
    pub text: String,
}

/// Compiled expressions over one row type. Cheap to evaluate again and again; any thread may.
pub struct Program {
    nodes: Vec<Node>,
    roots: Vec<NodeId>,
}

impl Program {
    /// Compiles expressions over rows of this type. What has no native form is refused with an error of kind
    /// `Unsupported`, whose text is the reason for users.
    pub fn compile<'e>(
        expressions: impl IntoIterator<Item = &'e proto::Expression>,
        input: &RowType,
        session: &proto::Session,
    ) -> Result<Self> {
        let mut compiler = Compiler::new(input, session)?;
        let roots = expressions.into_iter().map(|e| compiler.expression(e));
        let roots = roots.collect::<Result<_>>()?;
        Ok(Self {
            nodes: compiler.into_nodes(),
            roots,
        })
    }

    /// Type of an expression's result.
    pub fn data_type(&self, expression: usize) -> &DataType {
        &self.nodes[self.roots[expression]].data_type
    }

    /// Begins an evaluation over those rows of a batch whose bit is set; `None`: all rows.
    pub fn frame<'a>(&'a self, batch: &'a Batch, keep: Option<BooleanBuffer>) -> Frame<'a> {
        let filter = keep.as_ref().map(|keep| {
            let mask = BooleanArray::new(keep.clone(), None);
            FilterBuilder::new(&mask).optimize().build()
        });
        let rows = keep
            .as_ref()
            .map_or(batch.rows(), BooleanBuffer::count_set_bits);
        Frame {
            program: self,
            batch,
            keep,
            filter,
            rows,
            results: vec![None; self.nodes.len()],
        }
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.roots.iter().map(|root| &self.nodes[*root].text);
        f.debug_list().entries(texts).finish()
    }
}

/// The rows that a node was evaluated for, and what came out.
type Evaluated = (Option<BooleanBuffer>, Column);

/// One evaluation of a [`Program`]: what was computed once is kept until it ends.
pub struct Frame<'a> {
    program: &'a Program,
    batch: &'a Batch,
    keep: Option<BooleanBuffer>,
    filter: Option<FilterPredicate>,
    rows: usize,
    results: Vec<Option<Evaluated>>,
}

impl Frame<'_> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Values of an expression for the rows of the selection (`None`: all); at other rows the values mean nothing. Data
    /// that an expression fails for, as Flink's would, is an error of kind `User` that names the expression and the row
    /// of the batch.
    pub fn evaluate(
        &mut self,
        expression: usize,
        selection: Option<&BooleanBuffer>,
    ) -> Result<ArrayRef> {
        let root = self.program.roots[expression];
        let column = self.node(root, selection);
        let column = column.map_err(|failure| self.error(failure))?;
        column.into_array(self.rows)
    }

    /// The rows for which a BOOLEAN expression is true: neither false nor NULL.
    pub fn condition(&mut self, expression: usize) -> Result<BooleanBuffer> {
        let root = self.program.roots[expression];
        let column = self.node(root, None);
        let column = column.map_err(|failure| self.error(failure))?;
        Ok(Truth::new(&column, self.rows)?.yes)
    }

    fn error(&self, failure: Failure) -> Error {
        failure.into_error(|row| match &self.keep {
            None => row,
            Some(keep) => keep.set_indices().nth(row).unwrap_or(row),
        })
    }

    fn node(&mut self, id: NodeId, selection: Option<&BooleanBuffer>) -> Outcome<Column> {
        let node = &self.program.nodes[id];
        match &node.kind {
            Kind::Constant(array) => return Ok(Column::Constant(array.clone())),
            Kind::Alias(of) => return self.node(*of, selection),
            _ => {}
        }
        if let Some((evaluated, column)) = &self.results[id]
            && covers(evaluated.as_ref(), selection)
        {
            return Ok(column.clone());
        }
        if selection.is_some_and(|selection| selection.count_set_bits() == 0) {
            return Ok(Column::null(&arrow_type(&node.data_type)));
        }
        let (evaluated, column) = if self.is_leaf(id) {
            let array = self.leaf(id)?;
            let array = match &self.filter {
                None => array,
                Some(filter) => filter.filter(&array).map_err(arrow_error)?,
            };
            (None, Column::Rows(array))
        } else {
            let column = self.compute(node, selection).map_err(|mut failure| {
                failure.expression.get_or_insert_with(|| node.text.clone());
                failure
            })?;
            (selection.cloned(), column)
        };
        self.results[id] = Some((evaluated, column.clone()));
        Ok(column)
    }

    fn compute(&mut self, node: &Node, selection: Option<&BooleanBuffer>) -> Outcome<Column> {
        match &node.kind {
            Kind::Call(kernel, arguments) => {
                let arguments = arguments.iter().map(|id| self.node(*id, selection));
                let arguments = arguments.collect::<Outcome<Vec<_>>>()?;
                let rows = Rows {
                    count: self.rows,
                    selection,
                };
                kernel(&arguments, &rows)
            }
            Kind::And(operands) => self.connective(operands, selection, true),
            Kind::Or(operands) => self.connective(operands, selection, false),
            Kind::Case(branches, otherwise) => {
                self.case(branches, *otherwise, &node.data_type, selection)
            }
            Kind::Field(parent, index) => {
                let parent = self.node(*parent, selection)?;
                let field = field(parent.array(), *index)?;
                Ok(match parent {
                    Column::Rows(_) => Column::Rows(field),
                    Column::Constant(_) => Column::Constant(field),
                })
            }
            Kind::Input(_) | Kind::Constant(_) | Kind::Alias(_) => {
                Err(Error::internal("a leaf is not computed").into())
            }
        }
    }

    /// Whether a node is an input column or a field inside one: those are filtered as they are, not computed.
    fn is_leaf(&self, id: NodeId) -> bool {
        match self.program.nodes[id].kind {
            Kind::Input(_) => true,
            Kind::Field(parent, _) => self.is_leaf(parent),
            _ => false,
        }
    }

    fn leaf(&self, id: NodeId) -> Result<ArrayRef> {
        match self.program.nodes[id].kind {
            Kind::Input(index) => self.batch.column(index).cloned(),
            Kind::Field(parent, index) => field(&self.leaf(parent)?, index),
            _ => Err(Error::internal("a computed value is not a leaf")),
        }
    }

    /// AND (`all`) or OR of operands from left to right; an operand is not evaluated for rows that are decided already.
    fn connective(
        &mut self,
        operands: &[NodeId],
        selection: Option<&BooleanBuffer>,
        all: bool,
    ) -> Outcome<Column> {
        let mut result: Option<Truth> = None;
        for operand in operands {
            let Some(before) = result else {
                let column = self.node(*operand, selection)?;
                result = Some(Truth::new(&column, self.rows)?);
                continue;
            };
            let decided = if all { &before.no } else { &before.yes };
            let open = !decided;
            let open = selection.map_or(open.clone(), |selection| selection & &open);
            if open.count_set_bits() == 0 {
                return Ok(before.into_column());
            }
            let column = self.node(*operand, Some(&open))?;
            let truth = Truth::new(&column, self.rows)?;
            result = Some(if all {
                Truth {
                    yes: &before.yes & &truth.yes,
                    no: &before.no | &truth.no,
                }
            } else {
                Truth {
                    // Where the operand was not evaluated its values mean nothing: the row is decided.
                    yes: &before.yes | &truth.yes,
                    no: &before.no & &truth.no,
                }
            });
        }
        let result = result.ok_or_else(|| Error::internal("AND and OR need operands"))?;
        Ok(result.into_column())
    }

    fn case(
        &mut self,
        branches: &[(NodeId, NodeId)],
        otherwise: NodeId,
        data_type: &DataType,
        selection: Option<&BooleanBuffer>,
    ) -> Outcome<Column> {
        let mut open: Option<BooleanBuffer> = selection.cloned();
        let mut parts: Vec<(BooleanBuffer, Column)> = Vec::new();
        for (condition, value) in branches {
            let condition = self.node(*condition, open.as_ref())?;
            let yes = Truth::new(&condition, self.rows)?.yes;
            let taken = open.as_ref().map_or(yes.clone(), |open| open & &yes);
            if taken.count_set_bits() == 0 {
                continue;
            }
            let rest = open.as_ref().map_or(!&yes, |open| open & &!&yes);
            let done = rest.count_set_bits() == 0;
            if done && parts.is_empty() {
                return self.node(*value, open.as_ref());
            }
            let column = self.node(*value, Some(&taken))?;
            parts.push((taken, column));
            open = Some(rest);
            if done {
                return Ok(self.merge(&parts, data_type)?);
            }
        }
        if parts.is_empty() {
            return self.node(otherwise, open.as_ref());
        }
        let rest = open.ok_or_else(|| Error::internal("a part of CASE took no row"))?;
        let column = self.node(otherwise, Some(&rest))?;
        parts.push((rest, column));
        Ok(self.merge(&parts, data_type)?)
    }

    /// One column from parts for different rows.
    fn merge(&self, parts: &[(BooleanBuffer, Column)], data_type: &DataType) -> Result<Column> {
        // The rows of no part are NULL: the one value of the array behind the parts'.
        let null = arrow_array::new_null_array(&arrow_type(data_type), 1);
        let mut places = vec![(parts.len(), 0); self.rows];
        for (part, (rows, column)) in parts.iter().enumerate() {
            for row in rows.set_indices() {
                places[row] = (part, if column.is_constant() { 0 } else { row });
            }
        }
        let arrays = parts.iter().map(|(_, column)| column.array().as_ref());
        let arrays: Vec<&dyn Array> = arrays.chain([null.as_ref()]).collect();
        let array = interleave(&arrays, &places).map_err(arrow_error)?;
        Ok(Column::Rows(array))
    }
}

/// Whether an evaluation for some rows (`None`: all) holds for others, too.
fn covers(evaluated: Option<&BooleanBuffer>, wanted: Option<&BooleanBuffer>) -> bool {
    match (evaluated, wanted) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(evaluated), Some(wanted)) => {
            let evaluated = evaluated.bit_chunks();
            let wanted = wanted.bit_chunks();
            let mut words = evaluated.iter_padded().zip(wanted.iter_padded());
            words.all(|(evaluated, wanted)| wanted & !evaluated == 0)
        }
    }
}

/// A field of rows: NULL where the row is.
fn field(rows: &ArrayRef, index: usize) -> Result<ArrayRef> {
    let array = rows.as_struct_opt();
    let array = array.ok_or_else(|| Error::internal("a field of what is not a ROW"))?;
    let field = array.columns().get(index);
    let field = field.ok_or_else(|| Error::internal(format!("a ROW has no field {index}")))?;
    match array.nulls() {
        None => Ok(field.clone()),
        Some(nulls) => hide(field, nulls),
    }
}

/// One compiled expression.
#[derive(Debug)]
pub struct Expr {
    program: Program,
}

impl Expr {
    /// As [`Program::compile`].
    pub fn compile(
        expression: &proto::Expression,
        input: &RowType,
        session: &proto::Session,
    ) -> Result<Self> {
        let program = Program::compile([expression], input, session)?;
        Ok(Self { program })
    }

    /// Type of the result.
    pub fn data_type(&self) -> &DataType {
        self.program.data_type(0)
    }

    /// As [`Frame::evaluate`], over all rows of a batch.
    pub fn evaluate(&self, batch: &Batch, selection: Option<&BooleanBuffer>) -> Result<ArrayRef> {
        self.program.frame(batch, None).evaluate(0, selection)
    }
}
