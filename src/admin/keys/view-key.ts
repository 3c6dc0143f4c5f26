import type { Key } from '../../access/key.ts'
import {
  type KeyWarning,
  type RefusedModel,
  writeWarning,
  writeWarningForOwner,
} from '../../access/key-warning.ts'
import { writeBudget, writeRate } from '../../access/limits/write-limits.ts'
import { writeGrant } from '../../access/permission.ts'
import type { CaptureMode } from '../../capture/capture-schema.ts'
import { writeTime, writeTimeOrNull } from '../../kit/time/write-time.ts'
import type { KeyView, KeyWarningView } from './key-contract.ts'

/** A warning as one kind of reader sees it. */
export interface ShownWarning {
  readonly text: string
  readonly fact: KeyWarningView
}

/** The state of a key that is not part of its terms. */
export interface KeyState {
  readonly nowMs: number
  readonly lastUsedMs: number | undefined
  /** The mode in which its requests are captured. */
  readonly capture: CaptureMode
  readonly warnings: readonly ShownWarning[]
}

/** The view of a key that anyone may see: never a secret or a digest. */
export function viewKey(key: Key, { nowMs, lastUsedMs, capture, warnings }: KeyState): KeyView {
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
    expires_at: writeTimeOrNull(key.expiresAtMs),
    status: statusOf(key, nowMs),
    revoked_at: writeTimeOrNull(key.revokedAtMs),
    created_at: writeTime(key.createdAtMs),
    last_used_at: writeTimeOrNull(lastUsedMs),
    previous_secret_until: isOverlapping ? writeTimeOrNull(previous.validUntilMs) : null,
    budgets: key.budgets.map(writeBudget),
    rate: rate === undefined ? null : writeRate(rate),
    tags: { ...key.tags },
    caller_tags: key.callerTags,
    end_user_budget: endUserBudget === undefined ? null : writeBudget(endUserBudget),
    passthrough: [...key.passthrough],
    origin: key.origin,
    capture,
    warnings: warnings.map(({ text }) => text),
    warning_facts: warnings.map(({ fact }) => fact),
  }
}

function statusOf({ revokedAtMs, disabled, expiresAtMs }: Key, nowMs: number): KeyView['status'] {
  if (revokedAtMs !== undefined) return 'revoked'
  if (disabled) return 'disabled'
  return expiresAtMs !== undefined && expiresAtMs <= nowMs ? 'expired' : 'active'
}

export function showToOperator(warning: KeyWarning): ShownWarning {
  return { text: writeWarning(warning), fact: factOf(warning, ({ text }) => text) }
}

/** The view of a warning for the owner of the key. Channels are left out, as only operators need them. */
export function showToOwner(warning: KeyWarning): ShownWarning {
  return { text: writeWarningForOwner(warning), fact: factOf(warning, ({ model }) => model) }
}

function factOf(warning: KeyWarning, nameOf: (refused: RefusedModel) => string): KeyWarningView {
  return warning.type === 'refused_for_price'
    ? { type: 'refused_for_price', models: warning.models.map(nameOf) }
    : warning
}
