import type { Authenticator, CredentialSource } from '../access/authenticate.ts'
import type { Connection } from '../access/client-address.ts'
import type { Caller } from '../access/key.ts'
import type { CatalogSource } from '../catalog/catalog.ts'
import type { ListedModel } from '../wire/model-list/listed-model.ts'
import { listModels } from './list-models.ts'

/** What happens to a request before its body is read, and the questions that need no model. */
export interface CallerAccess {
  /** The caller's address, trusted proxies taken off. */
  findAddress(connection: Connection): string
  /** Throws `GatewayError` where the caller may not come in. */
  authenticate(source: CredentialSource): Caller
  listModels(caller: Caller): readonly ListedModel[]
}

export interface CallerAccessOptions {
  readonly authenticator: Authenticator
  readonly catalog: CatalogSource
  readonly findAddress: (connection: Connection) => string
}

export function createCallerAccess({
  authenticator,
  catalog,
  findAddress,
}: CallerAccessOptions): CallerAccess {
  return {
    findAddress,
    authenticate: (source) => authenticator.authenticate(source),
    listModels: (caller) => listModels(caller, catalog.current()),
  }
}
