import type { Key } from '../../access/key.ts'
import type { KeyView } from '../contract.ts'

/** What anyone may see of a key: never its secret or digest. */
export function viewKey(key: Key, nowMs: number): KeyView {
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    models: key.permission.type === 'all' ? ['*'] : [...key.permission.models],
    group: key.group ?? null,
    dry_run: key.dryRun,
    allow_ips: [...key.allowIps],
    expires_at: writeTime(key.expiresAtMs),
    status: statusOf(key, nowMs),
    revoked_at: writeTime(key.revokedAtMs),
    created_at: new Date(key.createdAtMs).toISOString(),
    origin: key.origin,
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
