import { t } from '../../language/language.ts'
import { GroupBadges } from '../../shell/group-badges.tsx'
import { useMe } from '../../shell/use-me.ts'
import { Card, DetailList } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
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
          [t('account.groups'), <GroupBadges key="groups" groups={groups} />],
        ]}
      />
    </Card>
  )
}
