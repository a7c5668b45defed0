//! Private traits, `pub(crate)`, `pub(super)`, `pub(in …)`, and private types in private traits.

#![deny(warnings, private_interfaces, private_bounds, unreachable_pub, dead_code)]

use rpc_core::{Server, rpc};
use rpc_core::server::Service;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Secret(u8);

#[rpc]
trait Private {
    fn get(&self, secret: Secret) -> Secret;
}

#[rpc]
pub(crate) trait Crate {
    fn get(&self, secret: Secret) -> Secret;
}

mod outer {
    use super::Secret;

    #[rpc_core::rpc]
    pub(super) trait Above {
        fn get(&self, secret: Secret) -> Secret;
    }

    pub(crate) mod inner {
        use crate::Secret;

        #[rpc_core::rpc]
        pub(in crate::outer) trait Within {
            async fn get(&self, secret: Secret) -> Secret;
        }

        struct Me;
        impl Within for Me {
            async fn get(&self, secret: Secret) -> Secret {
                secret
            }
        }
        pub(crate) fn service() -> impl rpc_core::server::Service {
            WithinService::new(Me)
        }
    }

    pub(crate) fn client() -> String {
        format!("{:?}", inner::WithinClient::new(rpc_core::Server::new(inner::service()).caller()))
    }
}

struct Me;

impl Private for Me {
    fn get(&self, secret: Secret) -> Secret {
        secret
    }
}
impl Crate for Me {
    fn get(&self, secret: Secret) -> Secret {
        secret
    }
}
impl outer::Above for Me {
    fn get(&self, secret: Secret) -> Secret {
        secret
    }
}

fn check(service: impl Service) {
    let response = Server::new(service).handle_blocking(r#"{"jsonrpc":"2.0","method":"get","params":[1],"id":1}"#);
    assert_eq!(response.unwrap(), r#"{"jsonrpc":"2.0","result":1,"id":1}"#);
}

fn main() {
    check(PrivateService::new(Me));
    check(CrateService::new(Me));
    check(outer::AboveService::new(Me));
    check(outer::inner::service());
    assert_eq!(outer::client(), "WithinClient");
}
