import { permissionOf } from '../../access/describe-caller.ts'
import type { Group } from '../../access/group.ts'
import type { Key } from '../../access/key.ts'
import { type ModelGrant, noModels, type Permission, permits, writeGrant } from '../../access/permission.ts'
import {
  type ComparedState,
  type Comparison,
  type FoundEffect,
  groupByText,
  listNames,
} from './comparison.ts'

/** Keys and groups that lose or gain public names. */
export function compareAccess({ before, after }: Comparison): readonly FoundEffect[] {
  const names = compareNames(before, after)
  return [
    ...describeHolders('keys', findChangedAccess(pairKeys(before, after), names)),
    ...describeHolders('groups', findChangedAccess(pairGroups(before, after), names)),
  ]
}

/** The names that each key loses, all of them. */
export function findKeyLosses({ before, after }: Pick<Comparison, 'before' | 'after'>): readonly KeyLosses[] {
  const changed = findChangedAccess(pairKeys(before, after), compareNames(before, after))
  return changed.flatMap(({ holders, lost }) =>
    lost.length === 0 ? [] : holders.map(({ id, name }) => ({ id, name, loses: lost })),
  )
}

export interface KeyLosses {
  readonly id: string
  readonly name: string
  readonly loses: readonly string[]
}

/** A caller who may use public names, before and after. */
interface Holder {
  readonly id: string
  readonly name: string
  readonly before: Permission
  readonly after: Permission
}

/** Holders of the same permissions, with the names that they lose and gain. */
interface ChangedAccess {
  readonly holders: readonly Holder[]
  readonly lost: readonly string[]
  readonly gained: readonly string[]
}

interface ServedNames {
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** The names that are only in `before`. The next member has the names that are only in `after`. */
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

function compareNames(before: ComparedState, after: ComparedState): ServedNames {
  const [old, next] = [namesOf(before), namesOf(after)]
  const [oldSet, nextSet] = [new Set(old), new Set(next)]
  return {
    before: old,
    after: next,
    removed: old.filter((name) => !nextSet.has(name)),
    added: next.filter((name) => !oldSet.has(name)),
  }
}

function namesOf({ catalog }: ComparedState): readonly string[] {
  return catalog.models.map(({ name }) => name)
}

/**
 * Pairs the keys before and after the change. A new or revoked key is left out, as it loses and gains nothing by the
 * change.
 */
function pairKeys(before: ComparedState, after: ComparedState): readonly Holder[] {
  const nextById = new Map(after.keys.map((key) => [key.id, key]))
  const [groupsBefore, groupsAfter] = [groupsOf(before), groupsOf(after)]
  return before.keys.flatMap((key) => {
    const next = nextById.get(key.id)
    if (next === undefined) return []
    return [
      {
        id: key.id,
        name: key.name,
        before: permissionIn(key, groupsBefore),
        after: permissionIn(next, groupsAfter),
      },
    ]
  })
}

/** A disabled key may use nothing. */
function permissionIn(key: Key, groups: ReadonlyMap<string, Group>): Permission {
  return key.disabled ? noModels : permissionOf(key, groups)
}

function groupsOf({ config }: ComparedState): ReadonlyMap<string, Group> {
  return new Map(config.groups.map((group) => [group.name, group]))
}

function pairGroups(before: ComparedState, after: ComparedState): readonly Holder[] {
  const next = groupsOf(after)
  return before.config.groups.flatMap(({ name, permission }) => {
    const other = next.get(name)
    return other === undefined ? [] : [{ id: name, name, before: permission, after: other.permission }]
  })
}

/**
 * Compares holders of the same permissions once. If a permission did not change, only added and removed names are
 * checked, as there may be ten thousand keys and thousands of names.
 */
function findChangedAccess(holders: readonly Holder[], names: ServedNames): readonly ChangedAccess[] {
  const alike = groupByText(holders, ({ before, after }) => `${signatureOf(before)} ${signatureOf(after)}`)
  return [...alike.values()].flatMap((group) => {
    const [{ before, after }] = group
    const stays = signatureOf(before) === signatureOf(after)
    const [old, next] = stays ? [names.removed, names.added] : [names.before, names.after]
    const had = old.filter((name) => permits(before, name))
    const has = next.filter((name) => permits(after, name))
    const [hadSet, hasSet] = [new Set(had), new Set(has)]
    const lost = had.filter((name) => !hasSet.has(name))
    const gained = has.filter((name) => !hadSet.has(name))
    return lost.length + gained.length === 0 ? [] : [{ holders: group, lost, gained }]
  })
}

function signatureOf(permission: Permission): string {
  return permission.type === 'both'
    ? JSON.stringify([writeSorted(permission.key), writeSorted(permission.group)])
    : JSON.stringify(writeSorted(permission))
}

function writeSorted(grant: ModelGrant): readonly string[] {
  return [...writeGrant(grant)].sort()
}

function describeHolders(holders: 'keys' | 'groups', changed: readonly ChangedAccess[]): FoundEffect[] {
  return [...describeSide('lost', holders, changed), ...describeSide('gained', holders, changed)]
}

function describeSide(
  side: 'lost' | 'gained',
  holders: 'keys' | 'groups',
  changed: readonly ChangedAccess[],
): FoundEffect[] {
  const affected = changed.filter((each) => each[side].length > 0)
  return [...groupByText(affected, (each) => JSON.stringify(each[side])).values()].map(
    (group): FoundEffect => {
      const [first] = group
      return {
        type: `access_${side}`,
        severity: side === 'lost' ? 'breaks' : 'adds',
        holders,
        who: listNames(group.flatMap((each) => each.holders.map(({ name }) => name))),
        models: listNames(first[side]),
      }
    },
  )
}
