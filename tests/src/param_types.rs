//! A service with one method for each kind of parameter type, borrowed types included.

use crate::task::yield_now;
use rpc_core::rpc;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// One kind of parameter type per method; most methods return their arguments.
#[rpc]
pub trait ParamTypes {
    /// Numbers, one of them optional.
    async fn add(&self, a: i64, b: Option<i64>) -> i64;
    /// A borrowed string.
    async fn text(&self, s: &str) -> String;
    /// A borrowed string that may be absent.
    async fn maybe_text(&self, s: Option<&str>, t: Option<&str>) -> Vec<Option<String>>;
    /// Raw JSON.
    async fn raw(&self, v: Box<RawValue>) -> Box<RawValue>;
    /// Borrowed raw JSON.
    async fn raw_borrowed(&self, v: Raw<'_>) -> Box<RawValue>;
    /// A list as the whole params.
    async fn list(&self, #[rpc(flatten)] v: Vec<u8>) -> usize;
    /// Any value as the whole params.
    async fn any(&self, #[rpc(flatten)] v: Value) -> Value;
    /// Any value.
    async fn value(&self, v: Value) -> Value;
    /// A slice.
    async fn numbers(&self, v: &[f64]) -> Vec<f64>;
    /// Integers of several sizes.
    async fn whole(&self, a: u8, b: u64, c: Option<i128>) -> (u8, u64, String);
    /// `bool`, `char` and the unit.
    async fn small(&self, a: bool, b: char, c: ()) -> (bool, char);
    /// A tuple and an array.
    async fn tuple(&self, v: (i64, String), w: [u8; 2]) -> (i64, String);
    /// A map with any keys.
    async fn map(&self, v: BTreeMap<String, Option<f64>>) -> BTreeMap<String, Option<f64>>;
    /// A struct.
    async fn place(&self, v: Place) -> Place;
    /// A struct as the whole params.
    async fn flat_place(&self, #[rpc(flatten)] v: Place) -> Place;
    /// A struct that borrows.
    async fn borrowed(&self, v: Borrowed<'_>) -> usize;
    /// An enum.
    async fn choice(&self, v: Choice) -> Choice;
    /// An untagged enum.
    async fn untagged(&self, v: Untagged) -> Untagged;
    /// Is pending when it is polled first.
    async fn later(&self, n: Option<u64>) -> Option<u64>;
    /// No parameters.
    async fn ping(&self);
    /// A notification.
    #[rpc(notification)]
    async fn note(&self, n: u64);
}

/// A position in a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// The name of the file.
    pub file_name: String,
    /// The line, from 1.
    #[serde(default)]
    pub line: Option<u32>,
    /// Nested positions.
    #[serde(default)]
    pub within: Vec<Place>,
}

/// Raw JSON borrowed from the message.
#[derive(Debug, Serialize, Deserialize)]
pub struct Raw<'a>(#[serde(borrow)] pub &'a RawValue);

/// Text borrowed from the message.
#[derive(Debug, Serialize, Deserialize)]
pub struct Borrowed<'a> {
    /// Cannot be decoded if it contains an escape.
    pub name: &'a str,
    /// Raw JSON.
    #[serde(borrow)]
    pub rest: Option<&'a RawValue>,
}

/// Variants of every kind.
#[derive(Debug, Serialize, Deserialize)]
pub enum Choice {
    /// A unit variant.
    Unit,
    /// A newtype variant.
    One(i32),
    /// A tuple variant.
    Two(i32, String),
    /// A struct variant.
    Named {
        /// A field.
        x: Option<bool>,
    },
}

/// Variants that differ by their content.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Untagged {
    /// A number.
    Number(i64),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<f64>),
}

/// The implementation.
#[derive(Clone, Copy, Debug)]
pub struct MyParamTypes;

impl ParamTypes for MyParamTypes {
    async fn add(&self, a: i64, b: Option<i64>) -> i64 {
        a.wrapping_add(b.unwrap_or_default())
    }
    async fn text(&self, s: &str) -> String {
        s.to_owned()
    }
    async fn maybe_text(&self, s: Option<&str>, t: Option<&str>) -> Vec<Option<String>> {
        [s, t].map(|text| text.map(ToOwned::to_owned)).into()
    }
    async fn raw(&self, v: Box<RawValue>) -> Box<RawValue> {
        v
    }
    async fn raw_borrowed(&self, v: Raw<'_>) -> Box<RawValue> {
        v.0.to_owned()
    }
    async fn list(&self, v: Vec<u8>) -> usize {
        v.len()
    }
    async fn any(&self, v: Value) -> Value {
        v
    }
    async fn value(&self, v: Value) -> Value {
        v
    }
    async fn numbers(&self, v: &[f64]) -> Vec<f64> {
        v.to_vec()
    }
    async fn whole(&self, a: u8, b: u64, c: Option<i128>) -> (u8, u64, String) {
        (a, b, format!("{c:?}"))
    }
    async fn small(&self, a: bool, b: char, (): ()) -> (bool, char) {
        (a, b)
    }
    async fn tuple(&self, v: (i64, String), _: [u8; 2]) -> (i64, String) {
        v
    }
    async fn map(&self, v: BTreeMap<String, Option<f64>>) -> BTreeMap<String, Option<f64>> {
        v
    }
    async fn place(&self, v: Place) -> Place {
        v
    }
    async fn flat_place(&self, v: Place) -> Place {
        v
    }
    async fn borrowed(&self, v: Borrowed<'_>) -> usize {
        v.name.len() + v.rest.map_or(0, |rest| rest.get().len())
    }
    async fn choice(&self, v: Choice) -> Choice {
        v
    }
    async fn untagged(&self, v: Untagged) -> Untagged {
        v
    }
    async fn later(&self, n: Option<u64>) -> Option<u64> {
        yield_now().await;
        n
    }
    async fn ping(&self) {}
    async fn note(&self, _: u64) {}
}
