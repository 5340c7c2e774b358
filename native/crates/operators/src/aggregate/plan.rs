//! What a group aggregate is to do, checked; and how Flink lays its accumulators out.

use super::form::Kind;
use super::function::Function;
use super::value::Arithmetic;
use sf_batch::arrow_type;
use sf_core::{Error, Result};
use sf_plan::proto::group_aggregate::Phase;
use sf_plan::{DataType, RowType, proto, unsupported};

/// Distinct calls of one column that share a view over input that never retracts: one bit each.
const DISTINCT_BITS: usize = 64;

/// The aggregate of one operator.
#[derive(Debug)]
pub(super) struct Plan {
    pub phase: Phase,
    /// Columns of the key.
    pub grouping: Vec<usize>,
    /// Calls in the order of the accumulator, with the count of rows that Flink may have put behind them.
    pub calls: Vec<Call>,
    /// The values of calls whose function keeps a map, with the call.
    pub maps: Vec<(usize, View)>,
    /// DISTINCT views in Flink's order; each is one field behind those of the calls.
    pub views: Vec<View>,
    /// The call that counts the rows of a group; set when the input retracts.
    pub counter: Option<usize>,
    pub update_before: bool,
    /// Rows of a bundle; 0: none.
    pub bundle: usize,
    /// Milliseconds that state lives; 0: for ever.
    pub ttl: i64,
    /// Fields of the accumulator.
    pub arity: usize,
}

/// One call of a function.
#[derive(Debug)]
pub(super) struct Call {
    pub function: Function,
    pub kind: Kind,
    pub arithmetic: Arithmetic,
    /// Column of the argument.
    pub arg: Option<usize>,
    pub arg_type: DataType,
    /// Type of the value in the accumulator.
    pub value_type: DataType,
    pub result_type: DataType,
    /// Column that decides whether a row counts. Of a distinct call the view has it.
    pub filter: Option<usize>,
    /// View and position in it.
    pub distinct: Option<(usize, usize)>,
    /// First field in the accumulator.
    pub offset: usize,
    /// Whether the result is a column of the output.
    pub visible: bool,
}

/// The values of a column that were seen, for all distinct calls on it.
#[derive(Debug)]
pub(super) struct View {
    pub column: usize,
    pub key_type: DataType,
    /// The filter of each call.
    pub filters: Vec<Option<usize>>,
    /// Whether values are counted for each call, or only marked.
    pub counts: bool,
}

impl View {
    /// Numbers kept for each value: a count for each call, or the bits of all calls.
    pub fn width(&self) -> usize {
        if self.counts { self.filters.len() } else { 1 }
    }
}

impl Call {
    /// Fields in the accumulator.
    pub fn fields(&self) -> usize {
        match self.function.keeps_map() {
            true => 1,
            false => {
                usize::from(self.function.keeps_value()) + usize::from(self.function.keeps_count())
            }
        }
    }
}

impl Plan {
    /// Checks a plan; errors of kind `Unsupported` say what has no native form.
    pub fn new(message: &proto::GroupAggregate) -> Result<Self> {
        let phase = message.phase();
        if phase == Phase::Incremental {
            return Err(unsupported("an incremental aggregate (of split DISTINCT)"));
        }
        let input = RowType::try_from(message.input.as_ref())?;
        let output = RowType::try_from(message.output.as_ref())?;
        let values = match (phase, &message.local_input) {
            (Phase::Global, None) => {
                return Err(Error::internal(
                    "the plan lacks the input of the local phase",
                ));
            }
            (Phase::Global, local) => RowType::try_from(local.as_ref())?,
            _ => input.clone(),
        };
        let retracts = message.needs_retraction;
        if phase == Phase::Single && message.mini_batch_size > 0 && retracts {
            // Flink's MiniBatchGroupAggFunction leaves the rest of the bundle out once a key begins with a retraction.
            return Err(unsupported(
                "mini-batch in one phase over input that retracts",
            ));
        }
        let grouping = columns(&message.grouping, &input)?;
        let mut plan = Self {
            phase,
            grouping,
            calls: Vec::new(),
            maps: Vec::new(),
            views: Vec::new(),
            counter: None,
            update_before: message.generate_update_before,
            bundle: usize::try_from(message.mini_batch_size).unwrap_or(0),
            ttl: message.state_ttl_millis.max(0),
            arity: 0,
        };
        if phase != Phase::Single && plan.bundle == 0 {
            return Err(Error::internal("a phase of two without a mini-batch"));
        }
        for call in &message.calls {
            plan.add_call(call, &values, retracts)?;
        }
        plan.find_counter(message, retracts)?;
        for call in &mut plan.calls {
            call.offset = plan.arity;
            plan.arity += call.fields();
        }
        plan.arity += plan.views.len();
        if phase != Phase::Single {
            plan.check_distinct(message)?;
            plan.check_maps(message)?;
        }
        if phase != Phase::Local {
            plan.check_output(&output)?;
        }
        Ok(plan)
    }

    fn add_call(
        &mut self,
        message: &proto::AggregateCall,
        input: &RowType,
        retracts: bool,
    ) -> Result<()> {
        let name = message.function.as_str();
        let arguments = columns(&message.arguments, input)?;
        let filter = match message.filter {
            filter @ 0.. => Some(columns(&[filter], input)?[0]),
            _ => None,
        };
        let arg = match arguments[..] {
            [] => None,
            [arg] => Some(arg),
            _ if message.distinct => {
                return Err(unsupported(format!("{name}(DISTINCT) of several columns")));
            }
            _ => {
                return Err(unsupported(format!(
                    "aggregate function {name} of {} arguments",
                    arguments.len()
                )));
            }
        };
        let arg_type = arg.map(|arg| &input.fields()[arg].data_type);
        let mut call = new_call(name, arg_type, message.retract)?;
        call.arg = arg;
        if call.function.keeps_map() {
            if message.distinct {
                return Err(unsupported(format!(
                    "{name}(DISTINCT) over input that retracts"
                )));
            }
            let view = View {
                column: arg.unwrap_or(0),
                key_type: call.arg_type.clone(),
                filters: vec![None],
                counts: true,
            };
            self.maps.push((self.calls.len(), view));
        }
        match arg.filter(|_| message.distinct) {
            Some(column) => {
                call.distinct = Some(self.add_to_view(column, filter, input, retracts)?);
            }
            None => call.filter = filter,
        }
        self.calls.push(call);
        Ok(())
    }

    /// The view of a column, which is made unless it is there; and the call's position in it.
    fn add_to_view(
        &mut self,
        column: usize,
        filter: Option<usize>,
        input: &RowType,
        counts: bool,
    ) -> Result<(usize, usize)> {
        let known = self.views.iter().position(|view| view.column == column);
        let number = match known {
            Some(number) => number,
            None => {
                let key_type = input.fields()[column].data_type.clone();
                if Kind::of(&key_type).is_none() {
                    return Err(unsupported(format!("DISTINCT of {}", name_of(&key_type))));
                }
                self.views.push(View {
                    column,
                    key_type,
                    filters: Vec::new(),
                    counts,
                });
                self.views.len() - 1
            }
        };
        let view = &mut self.views[number];
        view.filters.push(filter);
        if !counts && view.filters.len() > DISTINCT_BITS {
            return Err(unsupported(format!(
                "more than {DISTINCT_BITS} DISTINCT aggregates of one column"
            )));
        }
        Ok((number, view.filters.len() - 1))
    }

    /// Flink counts the rows of a group when the input retracts: by the last COUNT(*) of the query, or by one more call.
    fn find_counter(&mut self, message: &proto::GroupAggregate, retracts: bool) -> Result<()> {
        if !retracts {
            return Ok(());
        }
        let counts_rows =
            |call: &Call| call.function == Function::CountRows && call.filter.is_none();
        let counter = match usize::try_from(message.record_counter) {
            Ok(given) => given,
            Err(_) => {
                let last = self.calls.iter().rposition(counts_rows);
                last.unwrap_or(self.calls.len())
            }
        };
        if counter == self.calls.len() {
            let mut call = new_call("COUNT", None, true)?;
            call.visible = false;
            self.calls.push(call);
        }
        match self.calls.get(counter) {
            Some(call) if counts_rows(call) => self.counter = Some(counter),
            _ => {
                return Err(Error::internal(format!(
                    "call {counter} of the plan does not count rows"
                )));
            }
        }
        Ok(())
    }

    /// The global phase visits distinct values in the order of a heap map: only what does not depend on it is the same.
    fn check_distinct(&self, message: &proto::GroupAggregate) -> Result<()> {
        for (call, named) in self.calls.iter().zip(&message.calls) {
            let counts = call.function == Function::Count;
            if call.distinct.is_some() && !counts && call.kind != Kind::Long {
                let (name, data_type) = (&named.function, name_of(&call.arg_type));
                return Err(unsupported(format!(
                    "{name}(DISTINCT) of {data_type} in two phases"
                )));
            }
        }
        Ok(())
    }

    fn check_maps(&self, message: &proto::GroupAggregate) -> Result<()> {
        match self.maps.first() {
            None => Ok(()),
            Some((call, _)) => {
                let name = &message.calls[*call].function;
                Err(unsupported(format!(
                    "aggregate function {name} over input that retracts, in two phases"
                )))
            }
        }
    }

    fn check_output(&self, output: &RowType) -> Result<()> {
        let visible: Vec<_> = self.calls.iter().filter(|call| call.visible).collect();
        let columns = self.grouping.len() + visible.len();
        let fields = output.fields();
        if fields.len() != columns {
            let fields = fields.len();
            return Err(Error::internal(format!(
                "the plan has an output of {fields} columns, the aggregate of {columns}"
            )));
        }
        for (field, call) in fields[self.grouping.len()..].iter().zip(visible) {
            let (wanted, given) = (arrow_type(&field.data_type), arrow_type(&call.result_type));
            if wanted != given {
                return Err(unsupported(format!(
                    "aggregate function with a result of {} instead of {}",
                    name_of(&field.data_type),
                    name_of(&call.result_type)
                )));
            }
        }
        Ok(())
    }
}

fn columns(indices: &[i32], row: &RowType) -> Result<Vec<usize>> {
    let column = |index: &i32| {
        let column = usize::try_from(*index).ok();
        let column = column.filter(|column| *column < row.fields().len());
        column.ok_or_else(|| {
            let columns = row.fields().len();
            Error::internal(format!("the plan asks for column {index} of {columns}"))
        })
    };
    indices.iter().map(column).collect()
}

fn new_call(name: &str, arg_type: Option<&DataType>, retract: bool) -> Result<Call> {
    use DataType::*;
    let function = match (name, arg_type) {
        ("COUNT", None) => Function::CountRows,
        ("COUNT", Some(_)) => Function::Count,
        ("SUM", _) if retract => Function::SumWithRetract,
        ("SUM", _) => Function::Sum,
        ("SUM0" | "$SUM0", _) => Function::Sum0,
        ("AVG", _) => Function::Avg,
        ("MIN", _) if retract => Function::MinWithRetract,
        ("MAX", _) if retract => Function::MaxWithRetract,
        ("MIN", _) => Function::Min,
        ("MAX", _) => Function::Max,
        _ => return Err(unsupported(format!("aggregate function {name}"))),
    };
    let not_of = |data_type: &DataType| {
        unsupported(format!(
            "aggregate function {name} of {}",
            name_of(data_type)
        ))
    };
    if matches!(function, Function::CountRows | Function::Count) {
        let arg_type = arg_type.unwrap_or(&BigInt);
        return Ok(call(function, Kind::Long, arg_type, BigInt, BigInt));
    }
    let arg_type = arg_type.ok_or_else(|| not_of(&Null))?;
    let kind = Kind::of(arg_type).ok_or_else(|| not_of(arg_type))?;
    if function.keeps_map() && kind == Kind::Bytes {
        return Err(unsupported(format!(
            "aggregate function {name} of {} over input that retracts",
            name_of(arg_type)
        )));
    }
    if function.keeps_map() || matches!(function, Function::Min | Function::Max) {
        return match arg_type {
            Binary(_) | Varbinary(_) | IntervalYearMonth | IntervalDayTime => Err(not_of(arg_type)),
            _ => Ok(call(
                function,
                kind,
                arg_type,
                arg_type.clone(),
                arg_type.clone(),
            )),
        };
    }
    let average = function == Function::Avg;
    let (kind, value_type, result_type) = match arg_type {
        TinyInt | SmallInt | Int | BigInt if average => (kind, BigInt, arg_type.clone()),
        Float if average => (Kind::Double, Double, Float),
        Decimal(_, scale) if average => (kind, Decimal(38, *scale), Decimal(38, (*scale).max(6))),
        Decimal(_, scale) => (kind, Decimal(38, *scale), Decimal(38, *scale)),
        TinyInt | SmallInt | Int | BigInt | Float | Double => {
            (kind, arg_type.clone(), arg_type.clone())
        }
        _ => return Err(not_of(arg_type)),
    };
    Ok(call(function, kind, arg_type, value_type, result_type))
}

fn call(
    function: Function,
    kind: Kind,
    arg_type: &DataType,
    value_type: DataType,
    result_type: DataType,
) -> Call {
    let scale_of = |data_type: &DataType| match data_type {
        DataType::Decimal(_, scale) => u32::from(scale.unsigned_abs()),
        _ => 0,
    };
    let arithmetic = Arithmetic {
        sum_bits: bits(&value_type),
        result_bits: bits(&result_type),
        scale: scale_of(&value_type),
        result_scale: scale_of(&result_type),
    };
    Call {
        function,
        kind,
        arithmetic,
        arg: None,
        arg_type: arg_type.clone(),
        value_type,
        result_type,
        filter: None,
        distinct: None,
        offset: 0,
        visible: true,
    }
}

fn bits(data_type: &DataType) -> u32 {
    match data_type {
        DataType::TinyInt => 8,
        DataType::SmallInt => 16,
        DataType::Int | DataType::Float => 32,
        _ => 64,
    }
}

/// A type as a user knows it.
fn name_of(data_type: &DataType) -> String {
    use DataType::*;
    let name = match data_type {
        Decimal(precision, scale) => return format!("DECIMAL({precision}, {scale})"),
        Char(_) => "CHAR",
        Varchar(_) => "VARCHAR",
        Binary(_) => "BINARY",
        Varbinary(_) => "VARBINARY",
        Array(_) => "ARRAY",
        Multiset(_) => "MULTISET",
        Map(..) => "MAP",
        Row(_) => "ROW",
        IntervalYearMonth | IntervalDayTime => "INTERVAL",
        Timestamp(_) => "TIMESTAMP",
        TimestampLtz(_) => "TIMESTAMP_LTZ",
        Time(_) => "TIME",
        Boolean => "BOOLEAN",
        TinyInt => "TINYINT",
        SmallInt => "SMALLINT",
        Int => "INT",
        BigInt => "BIGINT",
        Float => "FLOAT",
        Double => "DOUBLE",
        Date => "DATE",
        Null => "NULL",
    };
    name.to_owned()
}
