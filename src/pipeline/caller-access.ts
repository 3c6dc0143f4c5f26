import { isIP } from 'node:net'
import { createAddressList } from '../access/address-list.ts'
import type { CredentialSource } from '../access/authenticator.ts'
import { NO_MULTIPLIER_PPM } from '../access/group.ts'
import type { Caller, KeyId } from '../access/key.ts'
import { permits } from '../access/permission.ts'
import type { CaptureMode } from '../capture/capture-schema.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { brand } from '../kit/brand.ts'
import type { CallerAccount } from '../metering/caller-account.ts'
import type { UsageSpan } from '../metering/key-usage.ts'
import type { ListedModel } from '../wire/model-list/listed-model.ts'

/** Admits callers before a body is read, and answers questions that need no model. */
export interface CallerAccess {
  /** The caller's address. Addresses of trusted proxies are skipped. */
  findAddress(connection: Connection): string
  /** Checks the caller's credential. Throws `GatewayError` if the caller has no access. */
  authenticate(source: CredentialSource): Caller
  /**
   * The caller of the key with this ID, when a client secret was used in place of the key. Throws `GatewayError` if the
   * caller has no access.
   */
  authenticateId(keyId: string, address: string): Caller
  listModels(caller: Caller): readonly ListedModel[]
  /** The limits of the caller's requests, and how much of them is left. */
  readAccount(caller: Caller): Promise<CallerAccount>
  /** Reads which parts of the caller's requests are captured. */
  readCapture(caller: Caller): CaptureMode
  /**
   * The amount charged to the caller's key, in nano-dollars. Rejects with `GatewayError` if the ledger cannot be read.
   */
  readCharged(caller: Caller, span: UsageSpan): Promise<bigint>
}

/** The models that a caller may use, by name. */
export function listCallerModels(caller: Caller, catalog: Catalog): readonly ListedModel[] {
  return catalog.models.filter(({ name }) => permits(caller.permission, name))
}

/**
 * The holder of the admin token, who can make only dry runs. It owns no key, and so no object that is stored for a key.
 */
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
  /** The address of the other end of the socket; undefined if the socket is already closed. */
  readonly peer: string | undefined
  /** The `x-forwarded-for` header. */
  readonly forwardedFor: string | readonly string[] | undefined
}

/** The address for a caller whose address is unknown. No allow-list contains it. */
const unknownAddress = 'unknown'

/**
 * Creates a function that finds the caller's address. Forwarding headers are read only if the peer is a trusted proxy.
 * They are read from the right, up to the first hop that is not trusted, since each hop is vouched for by the hop after
 * it.
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
