import { t } from '../../language/language.ts'
import { useMe } from '../../shell/use-me.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card, DetailList } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Absent } from '../../ui/text.tsx'
import { LinkedIdentityCard } from './identity-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { SecondFactorCard } from './second-factor-card.tsx'
import { SessionsCard } from './sessions-card.tsx'
import { TokensCard } from './tokens-card.tsx'

export function AccountPage() {
  const { password } = useMe()
  return (
    <>
      <PageHeader title={t('account.title')} description={t('account.description')} />
      <div className="grid gap-4 xl:grid-cols-2">
        <div className="min-w-0 space-y-4">
          <IdentityCard />
          <LinkedIdentityCard />
          {password && <PasswordCard />}
          <SecondFactorCard />
        </div>
        <div className="min-w-0 space-y-4">
          <SessionsCard />
          <TokensCard />
        </div>
      </div>
    </>
  )
}

function IdentityCard() {
  const { name, role, groups } = useMe()
  return (
    <Card>
      <DetailList
        rows={[
          [t('common.name'), name],
          [t('account.role'), t(`role.${role}`)],
          [
            t('account.groups'),
            <span key="groups" className="flex flex-wrap gap-1">
              {groups.length === 0 && <Absent />}
              {groups.map(({ group, manager }) => (
                <Badge key={group} isWhole>
                  {manager ? `${group} · ${t('account.manager')}` : group}
                </Badge>
              ))}
            </span>,
          ],
        ]}
      />
    </Card>
  )
}
