//! Each letter case of `rename_all`, as in serde. Parameters keep their names.

use rpc_core::{Server, rpc};

macro_rules! cases {
    ($($name:ident $service:ident $case:tt $wire:tt)*) => {$(
        #[rpc(rename_all = $case)]
        trait $name {
            fn very_tasty2(&self, how_much: u8) -> u8;
        }
        impl $name for Me {
            fn very_tasty2(&self, how_much: u8) -> u8 {
                how_much
            }
        }
    )*

    fn main() {$({
        let request = concat!(r#"{"jsonrpc":"2.0","method":""#, $wire, r#"","params":{"how_much":3},"id":1}"#);
        let server = Server::new($service::new(Me));
        assert_eq!(server.handle_blocking(request).unwrap(), r#"{"jsonrpc":"2.0","result":3,"id":1}"#, $case);
    })*}};
}

struct Me;

cases! {
    Lower LowerService "lowercase" "very_tasty2"
    Upper UpperService "UPPERCASE" "VERY_TASTY2"
    Pascal PascalService "PascalCase" "VeryTasty2"
    Camel CamelService "camelCase" "veryTasty2"
    Snake SnakeService "snake_case" "very_tasty2"
    Screaming ScreamingService "SCREAMING_SNAKE_CASE" "VERY_TASTY2"
    Kebab KebabService "kebab-case" "very-tasty2"
    ScreamingKebab ScreamingKebabService "SCREAMING-KEBAB-CASE" "VERY-TASTY2"
}
