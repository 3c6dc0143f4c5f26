import { isIP } from 'node:net'
import { createAddressList } from '../access/address-list.ts'
import type { CredentialSource } from '../access/authenticate.ts'
import { NO_MULTIPLIER_PPM } from '../access/group.ts'
import type { Caller, KeyId } from '../access/key.ts'
import { permits } from '../access/permission.ts'
import type { CaptureMode } from '../capture/capture-schema.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { brand } from '../kit/brand.ts'
import type { CallerAccount } from '../metering/caller-account.ts'
import type { UsageSpan } from '../metering/key-usage.ts'
import type { ListedModel } from '../wire/model-list/listed-model.ts'

/** Admits callers before a body is read, and answers the questions that need no model. */
export interface CallerAccess {
  /** The caller's address, trusted proxies taken off. */
  findAddress(connection: Connection): string
  /** Throws `GatewayError` where the caller may not come in. */
  authenticate(source: CredentialSource): Caller
  /** The caller of the key of this id, which a client secret stands for. Throws `GatewayError` likewise. */
  authenticateId(keyId: string, address: string): Caller
  listModels(caller: Caller): readonly ListedModel[]
  /** The limits of the caller's requests, and what is left of them. */
  readAccount(caller: Caller): CallerAccount
  /** Reads what is captured of the caller's requests. */
  readCapture(caller: Caller): CaptureMode
  /** The charge of the caller's key, in nano-dollars. Fails with `GatewayError` where the ledger cannot be read. */
  readCharged(caller: Caller, span: UsageSpan): Promise<bigint>
}

/** The models that a key may use, by name. */
export function listCallerModels(caller: Caller, catalog: Catalog): readonly ListedModel[] {
  return catalog.models.filter(({ name }) => permits(caller.permission, name))
}

/** The holder of the admin token, for dry runs alone. Owns no key, and so nothing that is stored for keys. */
export const operatorCaller: Caller = {
  keyId: brand<KeyId>('operator'),
  keyName: 'operator',
  user: undefined,
  group: undefined,
  expiresAtMs: undefined,
  permission: { type: 'all' },
  mayDryRun: true,
  tags: {},
  callerTags: false,
  budgets: [],
  endUserBudget: undefined,
  rate: undefined,
  multiplierPpm: NO_MULTIPLIER_PPM,
  passthrough: [],
}

export interface Connection {
  /** The other end of the socket; undefined where it is already gone. */
  readonly peer: string | undefined
  /** The `x-forwarded-for` header. */
  readonly forwardedFor: string | readonly string[] | undefined
}

/** The address where none is known; no allow-list contains it. */
const unknownAddress = 'unknown'

/**
 * Finds the caller's address. Forwarding headers are read only where the peer is a trusted proxy; they are then read
 * from the right, each hop vouched for by the one after it, up to the first that is not trusted.
 */
export function createClientAddressReader(
  trustedProxies: readonly string[],
): (connection: Connection) => string {
  const trusted = createAddressList(trustedProxies)
  return ({ peer, forwardedFor }) => {
    if (peer === undefined) return unknownAddress
    if (trustedProxies.length === 0 || forwardedFor === undefined || !trusted.includes(peer)) return peer
    const hops = [forwardedFor].flat().join(',').split(',')
    return readHops(hops.map(bareAddress), (hop) => trusted.includes(hop)) ?? peer
  }
}

function readHops(hops: readonly string[], isTrusted: (hop: string) => boolean): string | undefined {
  let nearest: string | undefined
  for (const hop of hops.toReversed()) {
    if (hop === '' && hops.length === 1) return undefined
    if (isIP(hop) === 0) return unknownAddress
    nearest = hop
    if (!isTrusted(hop)) return hop
  }
  return nearest
}

// Some proxies add the port: 192.0.2.1:4711 or [2001:db8::1]:4711.
function bareAddress(hop: string): string {
  const text = hop.trim()
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)
  if (bracketed !== null) return bracketed[1] ?? ''
  return text.replace(/^([\d.]+):\d+$/, '$1')
}
