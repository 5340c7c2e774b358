//! From the messages of a plan to the nodes of a program.

use crate::cast::{self, OnFailure};
use crate::program::{Kernel, Kind, Node, NodeId};
use crate::types::sql;
use crate::zone::Zone;
use crate::{arithmetic, compare, literal, logic, search, text_call, time_call};
use arrow_array::{Array, ArrayRef, cast::AsArray};
use prost::Message;
use sf_core::{Error, Result};
use sf_plan::{DataType, RowType, proto, unsupported};
use std::collections::HashMap;

/// What expressions depend on beside their input.
pub(crate) struct Session {
    pub zone: Zone,
    pub legacy_cast: bool,
}

pub(crate) struct Compiler<'a> {
    input: &'a RowType,
    pub session: Session,
    nodes: Vec<Node>,
    /// Nodes by the bytes of their message: equal expressions are one node.
    known: HashMap<Vec<u8>, NodeId>,
    /// Nodes that this compiler added as conversions, by operand and type.
    conversions: HashMap<(NodeId, String), NodeId>,
}

/// A call whose operands are compiled.
pub(crate) struct Call<'a> {
    pub function: &'a str,
    pub operands: Vec<NodeId>,
    pub search: Option<&'a proto::Search>,
    pub data_type: DataType,
}

impl<'a> Compiler<'a> {
    pub fn new(input: &'a RowType, session: &proto::Session) -> Result<Self> {
        Ok(Self {
            input,
            session: Session {
                zone: Zone::new(&session.local_time_zone)?,
                legacy_cast: session.legacy_cast,
            },
            nodes: Vec::new(),
            known: HashMap::new(),
            conversions: HashMap::new(),
        })
    }

    pub fn into_nodes(self) -> Vec<Node> {
        self.nodes
    }

    pub fn expression(&mut self, message: &proto::Expression) -> Result<NodeId> {
        let key = message.encode_to_vec();
        if let Some(id) = self.known.get(&key) {
            return Ok(*id);
        }
        let node = self.node(message)?;
        let id = self.add(node);
        self.known.insert(key, id);
        Ok(id)
    }

    fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn node(&mut self, message: &proto::Expression) -> Result<Node> {
        use proto::expression::Kind as Message;
        let data_type = message.r#type.as_ref();
        let data_type = data_type.ok_or_else(|| Error::internal("an expression has no type"))?;
        let data_type = DataType::from_proto(data_type)?;
        let kind = message.kind.as_ref();
        let kind = kind.ok_or_else(|| Error::internal("an expression says nothing"))?;
        let (kind, text) = match kind {
            Message::Input(index) => {
                let index = *index as usize;
                let field = self.input.fields().get(index);
                let field = field
                    .ok_or_else(|| Error::internal(format!("the input has no column {index}")))?;
                (Kind::Input(index), field.name.clone())
            }
            Message::Literal(value) => {
                let array = literal::array(value, &data_type)?;
                (Kind::Constant(array), literal::text(value))
            }
            Message::Field(access) => {
                let row = access.row.as_ref();
                let row = row.ok_or_else(|| Error::internal("a field of no row"))?;
                let row = self.expression(row)?;
                let index = access.index as usize;
                let DataType::Row(fields) = self.data_type(row) else {
                    return Err(Error::internal("a field of what is not a ROW"));
                };
                let field = fields.fields().get(index);
                let field =
                    field.ok_or_else(|| Error::internal(format!("a ROW has no field {index}")))?;
                let text = format!("{}.{}", self.nodes[row].text, field.name);
                (Kind::Field(row, index), text)
            }
            Message::Call(call) => {
                let operands = call.operands.iter().map(|operand| self.expression(operand));
                let operands = operands.collect::<Result<Vec<_>>>()?;
                let texts = operands.iter().map(|id| self.nodes[*id].text.as_str());
                let text = format!(
                    "{}({})",
                    call.function,
                    texts.collect::<Vec<_>>().join(", ")
                );
                let call = Call {
                    function: &call.function,
                    operands,
                    search: call.search.as_ref(),
                    data_type: data_type.clone(),
                };
                (self.call(&call)?, text)
            }
        };
        Ok(Node {
            kind,
            data_type,
            text,
        })
    }

    fn call(&mut self, call: &Call<'_>) -> Result<Kind> {
        match call.function {
            "AND" | "OR" | "NOT" | "IS NULL" | "IS NOT NULL" | "IS TRUE" | "IS NOT TRUE"
            | "IS FALSE" | "IS NOT FALSE" | "CASE" | "IF" | "COALESCE" => logic::build(self, call),
            "=" | "<>" | "<" | "<=" | ">" | ">=" | "IS DISTINCT FROM" | "IS NOT DISTINCT FROM" => {
                compare::build(self, call)
            }
            "SEARCH" => search::build(self, call),
            "+" | "-" | "*" | "/" | "MOD" | "MINUS_PREFIX" | "PLUS_PREFIX" | "ABS" => {
                arithmetic::build(self, call)
            }
            "CAST" | "TRY_CAST" => {
                let [operand] = self.operands(call)?;
                let null = call.function == "TRY_CAST" || self.session.legacy_cast;
                let on_failure = if null {
                    OnFailure::Null
                } else {
                    OnFailure::Error
                };
                self.cast(operand, &call.data_type, on_failure)
            }
            "REINTERPRET" => {
                let [operand] = self.operands(call)?;
                let from = self.data_type(operand).clone();
                cast::reinterpret(&from, &call.data_type).map(|kernel| match kernel {
                    None => Kind::Alias(operand),
                    Some(kernel) => Kind::Call(kernel, vec![operand]),
                })
            }
            "EXTRACT" | "DATE_FORMAT" => time_call::build(self, call),
            "FLOOR" | "CEIL" if call.operands.len() == 2 => time_call::build(self, call),
            "FLOOR" | "CEIL" => arithmetic::build(self, call),
            "UDF" => Err(unsupported("a user's function")),
            _ => text_call::build(self, call),
        }
    }

    /// The operands of a call that has `N` of them.
    pub fn operands<const N: usize>(&self, call: &Call<'_>) -> Result<[NodeId; N]> {
        let operands = call.operands.as_slice();
        operands.try_into().map_err(|_| {
            let given = operands.len();
            unsupported(format!("function {} with {given} operands", call.function))
        })
    }

    pub fn data_type(&self, id: NodeId) -> &DataType {
        &self.nodes[id].data_type
    }

    /// The constant value of a node, as an array of one value; `None` for what is computed.
    pub fn constant(&self, id: NodeId) -> Option<&ArrayRef> {
        match &self.nodes[id].kind {
            Kind::Constant(array) => Some(array),
            Kind::Alias(of) => self.constant(*of),
            _ => None,
        }
    }

    /// A constant string that is not NULL and is UTF-8.
    pub fn constant_text(&self, id: NodeId) -> Option<String> {
        let array = self.constant(id)?.as_binary_opt::<i32>()?;
        let bytes = array.is_valid(0).then(|| array.value(0).to_vec())?;
        String::from_utf8(bytes).ok()
    }

    /// The reason that a function does not take operands of such types.
    pub fn refuse(&self, call: &Call<'_>) -> Error {
        let types = call.operands.iter().map(|id| sql(self.data_type(*id)));
        let types = types.collect::<Vec<_>>().join(", ");
        unsupported(format!("function {} of ({types})", call.function))
    }

    /// A cast of an operand as a node's kind.
    fn cast(&self, operand: NodeId, to: &DataType, on_failure: OnFailure) -> Result<Kind> {
        let from = self.data_type(operand);
        Ok(match cast::kernel(from, to, &self.session, on_failure)? {
            None => Kind::Alias(operand),
            Some(kernel) => Kind::Call(kernel, vec![operand]),
        })
    }

    /// The operand as a value of this type; the operand itself when it is of the type already.
    pub fn convert(
        &mut self,
        operand: NodeId,
        to: &DataType,
        on_failure: OnFailure,
    ) -> Result<NodeId> {
        if self.data_type(operand) == to {
            return Ok(operand);
        }
        let key = (operand, format!("{to:?} {on_failure:?}"));
        if let Some(id) = self.conversions.get(&key) {
            return Ok(*id);
        }
        let kind = self.cast(operand, to, on_failure)?;
        let text = self.nodes[operand].text.clone();
        let text = format!("CAST({text} AS {})", sql(to));
        let id = self.add(Node {
            kind,
            data_type: to.clone(),
            text,
        });
        self.conversions.insert(key, id);
        Ok(id)
    }

    /// A node that the plan does not have.
    pub fn insert(&mut self, kernel: Kernel, operands: Vec<NodeId>, data_type: DataType) -> NodeId {
        let text = self.nodes[operands[0]].text.clone();
        self.add(Node {
            kind: Kind::Call(kernel, operands),
            data_type,
            text,
        })
    }
}
