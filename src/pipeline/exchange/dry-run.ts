import { GatewayError } from '../../canonical/failure.ts'
import type { CallerRequest } from './caller-request.ts'

const DRY_RUN_HEADER = 'x-headgate-dry-run'

export function asksForDryRun(headers: CallerRequest['headers']): boolean {
  return headers[DRY_RUN_HEADER] === '1'
}

/**
 * Whether the request is a dry run, which answers with the route and calls no provider. A route names channels,
 * upstream models and credentials, so only operators and keys that operators allow may see it. Throws
 * `dry_run_not_permitted` for all others.
 */
export function admitDryRun({ headers, caller }: Pick<CallerRequest, 'headers' | 'caller'>): boolean {
  if (!asksForDryRun(headers)) return false
  if (!caller.mayDryRun) throw new GatewayError('dry_run_not_permitted')
  return true
}
