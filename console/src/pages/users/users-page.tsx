import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { Button } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { InvitationList } from './invitation-list.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { UserLimitList } from './user-limit-list.tsx'
import { UserList } from './user-list.tsx'
import type { UserSearch } from './user-search.ts'
import { UserSheet } from './user-sheet.tsx'

/** Everybody who may sign in, and the unused links. */
export function UsersPage() {
  const search = useSearch({ from: '/frame/users' })
  const navigate = useNavigate({ from: '/users' })
  const invites = useMay('POST /users/invite')
  const setsLimits = useMay('POST /user-limits')
  const change = useCallback(
    (next: Partial<UserSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  const invite = (
    <Button variant="primary" icon="plus" onClick={() => change({ invite: true })}>
      {t('users.invite')}
    </Button>
  )
  const setLimits = (
    <Button variant="primary" icon="plus" onClick={() => change({ set: true })}>
      {t('users.limits.set')}
    </Button>
  )
  return (
    <>
      <PageHeader
        title={t('nav.users')}
        description={t('users.description')}
        actions={search.tab === 'limits' ? setsLimits && setLimits : invites && invite}
      />
      <Tabs
        label={t('nav.users')}
        active={search.tab ?? 'users'}
        onChange={(tab) => change({ tab })}
        tabs={[
          { name: 'users', label: t('nav.users'), content: <UserList search={search} onChange={change} /> },
          { name: 'invitations', label: t('users.invitations'), content: <InvitationList /> },
          {
            name: 'limits',
            label: t('users.limits.tab'),
            content: <UserLimitList search={search} onChange={change} />,
          },
        ]}
      />
      <InviteDialog
        isOpen={invites && search.invite === true}
        onClose={() => change({ invite: undefined })}
      />
      {search.user !== undefined && (
        <UserSheet
          key={search.user}
          reference={search.user}
          onClose={() => void navigate({ search: (before) => ({ ...before, user: undefined }) })}
        />
      )}
    </>
  )
}
