import { useQuery } from '@tanstack/react-query'
import { groupListSchema } from '../../../src/admin/groups/group-contract.ts'
import { userListSchema } from '../../../src/admin/people/people-contract.ts'
import { type Names, readNames } from '../api/read-rows.ts'
import { useMe, usePermissions } from '../shell/use-me.ts'
import { MINUTE_MS } from '../time/time-units.ts'

const none: readonly string[] = []
/** The number of groups up to which all of them are offered as a choice. */
const MAX_CHOICES = 200

/** The groups that the user may choose: all of them, or the user's own. */
export function useGroupNames(): readonly string[] {
  return useGroupChoice().rows
}

/** The groups. A user has to type the name of a group where not all of them are a choice. */
export function useGroupChoice(): Names {
  const { groups } = useMe()
  const { seesAll } = usePermissions()
  const all = useQuery({
    queryKey: ['groups', 'names'],
    queryFn: ({ signal }) => readNames({ path: '/groups', answer: groupListSchema, signal }),
    select: ({ rows, isComplete }) => ({ rows, isComplete: isComplete && rows.length <= MAX_CHOICES }),
    staleTime: MINUTE_MS,
    enabled: seesAll,
  })
  if (!seesAll) return { rows: groups.map(({ group }) => group), isComplete: true }
  // A list that cannot be read is not empty: the name of a group may be typed.
  return all.data ?? { rows: none, isComplete: !all.isError }
}

export function useUserNames(): readonly string[] {
  const { seesAll } = usePermissions()
  const users = useQuery({
    queryKey: ['users', 'names'],
    queryFn: ({ signal }) => readNames({ path: '/users', answer: userListSchema, signal }),
    staleTime: MINUTE_MS,
    enabled: seesAll,
  })
  return users.data?.rows ?? none
}
