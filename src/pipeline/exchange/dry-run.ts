import { GatewayError } from '../../canonical/failure.ts'
import type { CallerRequest } from './caller-request.ts'

const DRY_RUN_HEADER = 'x-headgate-dry-run'

export function asksForDryRun(headers: CallerRequest['headers']): boolean {
  return headers[DRY_RUN_HEADER] === '1'
}

/**
 * Whether the request is a dry run: its answer is the route, and no provider is called. A route names channels,
 * upstream models and credentials, which is for operators and for keys that they allow it. Throws
 * `dry_run_not_permitted` for all others.
 */
export function admitDryRun({ headers, caller }: Pick<CallerRequest, 'headers' | 'caller'>): boolean {
  if (!asksForDryRun(headers)) return false
  if (!caller.mayDryRun) throw new GatewayError('dry_run_not_permitted')
  return true
}
