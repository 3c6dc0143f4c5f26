import type { UserView } from '../../../src/admin/people/people-contract.ts'
import { t } from '../language/language.ts'
import { Badge } from '../ui/badge.tsx'
import { Absent } from '../ui/text.tsx'

/** The groups of a user, in full, with a word after those that the user manages. */
export function GroupBadges({ groups }: Pick<UserView, 'groups'>) {
  return (
    <span className="flex flex-wrap gap-1">
      {groups.length === 0 && <Absent />}
      {groups.map(({ group, manager }) => (
        <Badge key={group} isWhole>
          {manager ? `${group} · ${t('account.manager')}` : group}
        </Badge>
      ))}
    </span>
  )
}
