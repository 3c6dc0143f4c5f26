import type { Caller, KeyId } from '../access/key.ts'
import { GatewayError } from '../canonical/failure.ts'
import { brand } from '../kit/values/brand.ts'
import type { CallerRequest } from './exchange/caller-request.ts'

const HEADER = 'x-headgate-dry-run'

type Headers = CallerRequest['headers']

export function asksForDryRun(headers: Headers): boolean {
  return headers[HEADER] === '1'
}

/**
 * Whether the answer is the route and nobody is called. It names channels, upstream models and credentials, which is for
 * operators and for keys that they allow it. Throws `dry_run_not_permitted` for all others.
 */
export function isDryRun({ headers, caller }: Pick<CallerRequest, 'headers' | 'caller'>): boolean {
  if (!asksForDryRun(headers)) return false
  if (caller.mayDryRun !== true) throw new GatewayError('dry_run_not_permitted')
  return true
}

/** Whoever holds the admin token, for dry runs alone. Owns no key, and so nothing that is stored for keys. */
export const operatorCaller: Caller = {
  keyId: brand<KeyId>('operator'),
  keyName: 'operator',
  group: undefined,
  permission: { type: 'all' },
  mayDryRun: true,
}
