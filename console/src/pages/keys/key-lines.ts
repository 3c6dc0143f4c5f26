import type { KeyView } from '../../../../src/admin/keys/key-contract.ts'
import { variableOf } from '../../changes/object-lines.ts'

/** The lines of a key in the configuration file, and of a second key for a rotation with an overlap. */
export function rotationLines(key: KeyView): unknown {
  const fields = writtenFields(key)
  const nextName = `${key.name.slice(0, 59)}-next`
  return {
    keys: [key.name, nextName].map((name) => ({ name, secret: `\${${variableOf(name)}}`, ...fields })),
  }
}

/** The fields that differ from their defaults. */
function writtenFields(key: KeyView): Readonly<Record<string, unknown>> {
  const { models, user, group, budgets, rate, tags, end_user_budget: endUserBudget } = key
  const { allow_ips: ranges, expires_at: expiresAt, passthrough } = key
  return {
    models,
    ...(user !== null && { user }),
    ...(group !== null && { group }),
    ...(budgets.length > 0 && { budgets }),
    ...(rate !== null && { rate }),
    ...(Object.keys(tags).length > 0 && { tags }),
    ...(key.caller_tags && { caller_tags: true }),
    ...(endUserBudget !== null && { end_user_budget: endUserBudget }),
    ...(ranges.length > 0 && { allow_ips: ranges }),
    ...(expiresAt !== null && { expires_at: expiresAt }),
    ...(key.dry_run && { dry_run: true }),
    ...(passthrough.length > 0 && { passthrough }),
  }
}
