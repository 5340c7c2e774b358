//! The typed columns of a table: what SQL sees of keys and values besides their bytes.
//!
//! Java describes them, little endian: `[i32 n]`, then per column `[i32 name length][name, UTF-8][i32 field id]
//! [i32 type][i32 source][i32 state or -1][i32 coding][i32 field index][i32 arity][i32 skip]`.

use crate::schema;
use parquet::schema::types::TypePtr;
use sf_core::{Error, Result};
use std::collections::HashSet;

/// Field id of the first typed column; the fixed columns have those before it.
pub const FIRST_TYPED_FIELD: i32 = 8;
/// Name length, field id, type, source, state, coding, index, arity, skip.
const LEAST_ENTRY: usize = 9 * 4;

/// Type of a typed column. All are nullable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// `BOOLEAN`
    Boolean,
    /// `TINYINT`
    TinyInt,
    /// `SMALLINT`
    SmallInt,
    /// `INT`
    Int,
    /// `BIGINT`
    BigInt,
    /// `FLOAT`
    Float,
    /// `DOUBLE`
    Double,
    /// `STRING`
    String,
    /// `BYTES`
    Bytes,
    /// `DATE`, days since 1970
    Date,
    /// `TIMESTAMP(3)`, milliseconds
    Timestamp,
}

impl ColumnType {
    const ALL: [Self; 11] = [
        Self::Boolean,
        Self::TinyInt,
        Self::SmallInt,
        Self::Int,
        Self::BigInt,
        Self::Float,
        Self::Double,
        Self::String,
        Self::Bytes,
        Self::Date,
        Self::Timestamp,
    ];

    /// The number in the description.
    pub fn code(self) -> i32 {
        self as i32
    }

    /// The inverse of [`ColumnType::code`].
    pub fn from_code(code: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.code() == code)
    }
}

/// Which bytes of a row a typed column is decoded from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// [`crate::TableRow::key`]. More bytes may follow: the namespace, when the key has no fixed length.
    Key,
    /// [`crate::TableRow::namespace`]
    Namespace,
    /// [`crate::TableRow::user_key`]
    UserKey,
    /// [`crate::TableRow::value`]
    Value,
}

impl Source {
    fn from_code(code: i32) -> Option<Self> {
        [Self::Key, Self::Namespace, Self::UserKey, Self::Value]
            .into_iter()
            .find(|known| *known as i32 == code)
    }
}

/// How the bytes of a typed column are to be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// A scalar as the serializers of Flink's core write it (0): `STRING` as `StringSerializer` does, `BYTES` as
    /// `BytePrimitiveArraySerializer` does.
    Scalar,
    /// The field of a row that `BinaryRowDataSerializer` (or `RowDataSerializer`) wrote (1).
    RowField {
        /// Position of the field.
        index: u32,
        /// Fields of the row.
        arity: u32,
    },
    /// A scalar as the serializers of Flink's table runtime write it (2). Differs from [`Coding::Scalar`] for
    /// `STRING`, which is as `StringDataSerializer` writes it: a length of four bytes, big endian, then UTF-8.
    SqlScalar,
}

/// A typed column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedColumn {
    /// Name in the table.
    pub name: String,
    /// Field id in the table's schema.
    pub field_id: i32,
    /// Type.
    pub column_type: ColumnType,
    /// Where the bytes are.
    pub source: Source,
    /// The only state that has it; `None`: every state.
    pub state: Option<u16>,
    /// How they are understood.
    pub coding: Coding,
    /// Bytes before the scalar or the row.
    pub skip: u32,
}

/// The columns of a table: the fixed ones and the typed ones.
#[derive(Debug, Clone)]
pub struct TableColumns {
    typed: Vec<TypedColumn>,
    /// Typed columns of every state.
    common: Vec<usize>,
    /// Per state that has columns of its own: these and the common ones.
    by_state: Vec<(u16, Vec<usize>)>,
    schema: TypePtr,
}

impl TableColumns {
    /// Checks names, ids and states, and builds the schema of the data files.
    pub fn new(typed: Vec<TypedColumn>) -> Result<Self> {
        let mut names: HashSet<&str> = schema::fixed_names().collect();
        let mut ids = HashSet::new();
        for column in &typed {
            if column.name.is_empty() || column.name.starts_with('_') {
                return Err(fault(&column.name, "name is reserved"));
            }
            if !names.insert(&column.name) {
                return Err(fault(&column.name, "name is taken"));
            }
            if column.field_id < FIRST_TYPED_FIELD || !ids.insert(column.field_id) {
                return Err(fault(&column.name, "field id is taken"));
            }
            if let Coding::RowField { index, arity } = column.coding
                && index >= arity
            {
                return Err(fault(&column.name, "field is none of the row's"));
            }
        }
        let common: Vec<usize> = positions(&typed, |state| state.is_none());
        let mut states: Vec<u16> = typed.iter().filter_map(|column| column.state).collect();
        states.sort_unstable();
        states.dedup();
        let by_state = states
            .into_iter()
            .map(|own| {
                let these = positions(&typed, |state| state.is_none_or(|state| state == own));
                (own, these)
            })
            .collect();
        let schema = schema::file_schema(&typed)?;
        Ok(Self {
            typed,
            common,
            by_state,
            schema,
        })
    }

    /// Reads the description that Java wrote; see the module.
    pub fn parse(description: &[u8]) -> Result<Self> {
        let mut from = Reader {
            bytes: description,
            at: 0,
        };
        let count = from.length()?;
        if count > description.len() / LEAST_ENTRY {
            return Err(from.fault("more columns than it has room for"));
        }
        let mut typed = Vec::with_capacity(count);
        for _ in 0..count {
            typed.push(from.column()?);
        }
        if from.at != description.len() {
            return Err(from.fault("bytes after the last column"));
        }
        Self::new(typed)
    }

    /// The typed columns.
    pub fn typed(&self) -> &[TypedColumn] {
        &self.typed
    }

    /// Positions of the typed columns that rows of `state` may fill.
    pub(crate) fn of_state(&self, state: u16) -> &[usize] {
        match self.by_state.binary_search_by_key(&state, |(own, _)| *own) {
            Ok(found) => &self.by_state[found].1,
            Err(_) => &self.common,
        }
    }

    pub(crate) fn schema(&self) -> &TypePtr {
        &self.schema
    }
}

fn positions(typed: &[TypedColumn], wanted: impl Fn(Option<u16>) -> bool) -> Vec<usize> {
    let all = typed.iter().enumerate();
    all.filter(|(_, column)| wanted(column.state))
        .map(|(position, _)| position)
        .collect()
}

fn fault(name: &str, what: &str) -> Error {
    Error::user(format!("typed column '{name}': {what}"))
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn fault(&self, what: &str) -> Error {
        Error::user(format!(
            "description of typed columns at offset {}: {what}",
            self.at
        ))
    }

    fn int(&mut self) -> Result<i32> {
        let word = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk);
        let word = *word.ok_or_else(|| self.fault("cut off"))?;
        self.at += 4;
        Ok(i32::from_le_bytes(word))
    }

    fn length(&mut self) -> Result<usize> {
        let value = self.int()?;
        usize::try_from(value).map_err(|_| self.fault("negative length"))
    }

    fn unsigned(&mut self) -> Result<u32> {
        let value = self.int()?;
        u32::try_from(value).map_err(|_| self.fault("negative number"))
    }

    fn column(&mut self) -> Result<TypedColumn> {
        let length = self.length()?;
        let name = self.bytes[self.at..].get(..length);
        let name = name.ok_or_else(|| self.fault("name is cut off"))?;
        let name = std::str::from_utf8(name).map_err(|_| self.fault("name is no UTF-8"))?;
        self.at += length;
        let field_id = self.int()?;
        let column_type = ColumnType::from_code(self.int()?);
        let column_type = column_type.ok_or_else(|| self.fault("type is unknown"))?;
        let source = Source::from_code(self.int()?);
        let source = source.ok_or_else(|| self.fault("source is unknown"))?;
        let state = match self.int()? {
            -1 => None,
            state => Some(u16::try_from(state).map_err(|_| self.fault("state is impossible"))?),
        };
        let coding = self.int()?;
        let (index, arity) = (self.int()?, self.int()?);
        let coding = match (coding, u32::try_from(index), u32::try_from(arity)) {
            (0, _, _) => Coding::Scalar,
            (1, Ok(index), Ok(arity)) => Coding::RowField { index, arity },
            (2, _, _) => Coding::SqlScalar,
            _ => return Err(self.fault("coding is unknown")),
        };
        Ok(TypedColumn {
            name: name.to_owned(),
            field_id,
            column_type,
            source,
            state,
            coding,
            skip: self.unsigned()?,
        })
    }
}
