use rpc_core::rpc;

#[rpc]
trait Calc {
    fn add(
        &self,
        #[cfg(unix)] a: u8,
        #[cfg(windows)] b: u8,
        #[cfg(test)] c: u8,
        #[cfg(doc)] d: u8,
        #[cfg(miri)] e: u8,
    ) -> u8;
}

fn main() {}
