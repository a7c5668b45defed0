//! A service whose parameters have many shapes, borrowed ones among them.

use crate::task::give_way;
use rpc_core::rpc;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// One shape each; most methods give back what they got.
#[rpc]
pub trait Shapes {
    /// Numbers, one of them optional.
    async fn add(&self, a: i64, b: Option<i64>) -> i64;
    /// A borrowed string.
    async fn text(&self, s: &str) -> String;
    /// A borrowed string that may be absent.
    async fn maybe_text(&self, s: Option<&str>, t: Option<&str>) -> Vec<Option<String>>;
    /// Text that is not read.
    async fn raw(&self, v: Box<RawValue>) -> Box<RawValue>;
    /// Text that is not read and not copied.
    async fn raw_borrowed(&self, v: Raw<'_>) -> Box<RawValue>;
    /// A list that is the whole of the params.
    async fn list(&self, #[rpc(flatten)] v: Vec<u8>) -> usize;
    /// Anything that is the whole of the params.
    async fn any(&self, #[rpc(flatten)] v: Value) -> Value;
    /// Anything.
    async fn value(&self, v: Value) -> Value;
    /// A slice.
    async fn numbers(&self, v: &[f64]) -> Vec<f64>;
    /// Whole numbers of several sizes.
    async fn whole(&self, a: u8, b: u64, c: Option<i128>) -> (u8, u64, String);
    /// The small types.
    async fn small(&self, a: bool, b: char, c: ()) -> (bool, char);
    /// A tuple and an array.
    async fn tuple(&self, v: (i64, String), w: [u8; 2]) -> (i64, String);
    /// Names that are not known before.
    async fn map(&self, v: BTreeMap<String, Option<f64>>) -> BTreeMap<String, Option<f64>>;
    /// A struct.
    async fn place(&self, v: Place) -> Place;
    /// A struct that is the whole of the params.
    async fn flat_place(&self, #[rpc(flatten)] v: Place) -> Place;
    /// A struct that borrows.
    async fn borrowed(&self, v: Borrowed<'_>) -> usize;
    /// An enum.
    async fn choice(&self, v: Choice) -> Choice;
    /// An enum without tags.
    async fn untagged(&self, v: Untagged) -> Untagged;
    /// Ready after a while only.
    async fn later(&self, n: Option<u64>) -> Option<u64>;
    /// No parameters.
    async fn ping(&self);
    /// No answer.
    #[rpc(notification)]
    async fn note(&self, n: u64);
}

/// A place.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// Which file.
    pub file_name: String,
    /// Which line, from 1.
    #[serde(default)]
    pub line: Option<u32>,
    /// Places within.
    #[serde(default)]
    pub within: Vec<Place>,
}

/// Text of the message itself.
#[derive(Debug, Serialize, Deserialize)]
pub struct Raw<'a>(#[serde(borrow)] pub &'a RawValue);

/// Strings of the message itself.
#[derive(Debug, Serialize, Deserialize)]
pub struct Borrowed<'a> {
    /// Fails when it holds an escape.
    pub name: &'a str,
    /// Not read.
    #[serde(borrow)]
    pub rest: Option<&'a RawValue>,
}

/// Variants of every kind.
#[derive(Debug, Serialize, Deserialize)]
pub enum Choice {
    /// A word.
    Unit,
    /// With one value.
    One(i32),
    /// With two.
    Two(i32, String),
    /// With names.
    Named {
        /// A name.
        x: Option<bool>,
    },
}

/// Variants that are told apart by their content.
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
pub struct MyShapes;

impl Shapes for MyShapes {
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
        give_way().await;
        n
    }
    async fn ping(&self) {}
    async fn note(&self, _: u64) {}
}
