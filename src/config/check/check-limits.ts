import { unknownName } from '../../kit/schema/input-fact.ts'
import { nearestName } from '../../kit/schema/nearest-name.ts'
import type { ConfigInput } from '../config-schema.ts'
import type { PathProblem } from '../source/substitute-variables.ts'
import { findRepeated } from './find-repeated.ts'

/** Finds the problems between keys and groups, and among the budgets of the installation. */
export function checkLimits({ keys = [], groups = [], budgets }: ConfigInput): readonly PathProblem[] {
  const names = groups.map(({ name }) => name)
  return [
    ...keys.flatMap(({ group }, index) => {
      if (group === undefined || names.includes(group)) return []
      return [{ path: ['keys', index, 'group'], dependsOn: [['groups']], ...describeUnknown(group, names) }]
    }),
    ...findRepeated(
      budgets?.map(({ name }) => name),
      ['budgets'],
      'name',
    ),
  ]
}

function describeUnknown(group: string, names: readonly string[]): Pick<PathProblem, 'message' | 'fact'> {
  const nearest = nearestName(group, names)
  const advice =
    nearest === undefined ? 'add it to "groups", even if only as {}' : `did you mean "${nearest}"?`
  return {
    message: `there is no group "${group}", so the key could use nothing; ${advice}`,
    fact: unknownName('group', group, nearest),
  }
}
