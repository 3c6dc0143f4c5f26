import { type Group, NO_MULTIPLIER_PPM } from './group.ts'
import type { Caller, Key } from './key.ts'
import { type ModelGrant, noModels, type Permission } from './permission.ts'

/** Describes the caller that sends a request with this key. */
export function describeCaller(key: Key, groups: ReadonlyMap<string, Group>): Caller {
  const group = key.group === undefined ? undefined : groups.get(key.group)
  return {
    keyId: key.id,
    keyName: key.name,
    user: key.user,
    group: key.group,
    expiresAtMs: key.expiresAtMs,
    permission: permissionOf(key, groups),
    mayDryRun: key.dryRun,
    tags: key.tags,
    callerTags: key.callerTags,
    budgets: key.budgets,
    endUserBudget: key.endUserBudget,
    rate: key.rate,
    multiplierPpm: group?.multiplierPpm ?? NO_MULTIPLIER_PPM,
    passthrough: passthroughOf(key, group),
  }
}

/** A key in a group needs the grant of both key and group. If the group does not exist, no channel is granted. */
function passthroughOf({ passthrough, group: name }: Key, group: Group | undefined): readonly string[] {
  if (name === undefined) return passthrough
  return passthrough.filter((channel) => group?.passthrough.includes(channel) === true)
}

/**
 * A key whose group does not exist may use nothing. A mistyped name or a removed group must not lift the limits that
 * the group would have set.
 */
export function permissionOf(
  { permission, group }: Pick<Key, 'permission' | 'group'>,
  groups: ReadonlyMap<string, Group>,
): Permission {
  return group === undefined ? permission : join(permission, groups.get(group)?.permission ?? noModels)
}

function join(key: ModelGrant, group: ModelGrant): Permission {
  if (group.type === 'all') return key
  return key.type === 'all' ? group : { type: 'both', key, group }
}
