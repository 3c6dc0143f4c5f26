import type { Key } from '../../access/key.ts'
import { writeBudget, writeRate } from '../../access/limits/write-limits.ts'
import { writeGrant } from '../../access/permission.ts'
import type { KeyView } from '../contract.ts'

/** What is known of a key besides what its operator decided. */
export interface KeyState {
  readonly nowMs: number
  readonly lastUsedMs: number | undefined
  /** What it is given that has no effect, a sentence each. */
  readonly warnings: readonly string[]
}

/** What anyone may see of a key: never a secret or a digest. */
export function viewKey(key: Key, { nowMs, lastUsedMs, warnings }: KeyState): KeyView {
  const { rate, endUserBudget, previous } = key
  const isOverlapping = previous !== undefined && previous.validUntilMs > nowMs
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    models: [...writeGrant(key.permission)],
    user: key.user ?? null,
    group: key.group ?? null,
    dry_run: key.dryRun,
    allow_ips: [...key.allowIps],
    expires_at: writeTime(key.expiresAtMs),
    status: statusOf(key, nowMs),
    revoked_at: writeTime(key.revokedAtMs),
    created_at: new Date(key.createdAtMs).toISOString(),
    last_used_at: writeTime(lastUsedMs),
    previous_secret_until: isOverlapping ? writeTime(previous.validUntilMs) : null,
    budgets: key.budgets.map(writeBudget),
    rate: rate === undefined ? null : writeRate(rate),
    tags: { ...key.tags },
    caller_tags: key.callerTags,
    end_user_budget: endUserBudget === undefined ? null : writeBudget(endUserBudget),
    origin: key.origin,
    warnings: [...warnings],
  }
}

function statusOf({ revokedAtMs, disabled, expiresAtMs }: Key, nowMs: number): KeyView['status'] {
  if (revokedAtMs !== undefined) return 'revoked'
  if (disabled) return 'disabled'
  return expiresAtMs !== undefined && expiresAtMs <= nowMs ? 'expired' : 'active'
}

function writeTime(atMs: number | undefined): string | null {
  return atMs === undefined ? null : new Date(atMs).toISOString()
}
