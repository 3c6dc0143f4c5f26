import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type UserView, userViewSchema } from '../../../../src/admin/people/people-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { writeAuthor } from '../../changes/write-actor.ts'
import { t } from '../../language/language.ts'
import { GroupBadges } from '../../shell/group-badges.tsx'
import { useMay, useMe } from '../../shell/use-me.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { DetailList } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { Absent, TimeText } from '../../ui/text.tsx'
import { EditUserForm } from './edit-user-form.tsx'
import { type UserAction, UserActionDialog } from './user-actions.tsx'
import { UserLimits } from './user-limits.tsx'
import { UserSessions } from './user-sessions.tsx'

interface UserSheetProps {
  /** An id or a name. */
  readonly reference: string
  readonly onClose: () => void
}

/** One user, next to the list. */
export function UserSheet({ reference, onClose }: UserSheetProps) {
  const user = useQuery({
    queryKey: ['users', 'one', reference],
    queryFn: ({ signal }) =>
      callApi({ path: `/users/${encodeURIComponent(reference)}`, answer: userViewSchema, signal }),
  })
  return (
    <Dialog isOpen onClose={onClose} shape="side" title={user.data?.name ?? reference}>
      {user.isPending && <Skeleton rows={6} />}
      {user.isError && <ErrorState error={user.error} onRetry={() => void user.refetch()} />}
      {user.data !== undefined && <UserBody user={user.data} onGone={onClose} />}
    </Dialog>
  )
}

function UserBody({ user, onGone }: { readonly user: UserView; readonly onGone: () => void }) {
  const [isEditing, setEditing] = useState(false)
  const [action, setAction] = useState<UserAction>()
  const manages = useMay('PATCH /users/{id}')
  if (isEditing) return <EditUserForm user={user} onDone={() => setEditing(false)} />
  return (
    <div className="space-y-5">
      {manages && <UserControls user={user} onEdit={() => setEditing(true)} onAction={setAction} />}
      <UserFacts user={user} />
      <UserLimits name={user.name} />
      {manages && <UserSessions name={user.name} />}
      <UserActionDialog user={user} action={action} onClose={() => setAction(undefined)} onGone={onGone} />
    </div>
  )
}

interface UserControlsProps {
  readonly user: UserView
  readonly onEdit: () => void
  readonly onAction: (action: UserAction) => void
}

function UserControls({ user, onEdit, onAction }: UserControlsProps) {
  const changesOwners = useMay('POST /users/invite-owner')
  const unlinks = useMay('DELETE /users/{id}/identity')
  const { name } = useMe()
  if (user.role === 'owner' && !changesOwners) return <p className="text-muted">{t('users.owner_only')}</p>
  const isActive = user.status === 'active'
  return (
    <div className="flex flex-wrap gap-2">
      <Button icon="edit" onClick={onEdit}>
        {t('users.edit')}
      </Button>
      <Button icon="lock" onClick={() => onAction('reset')}>
        {t('users.reset')}
      </Button>
      <Menu
        trigger={<IconButton icon="more" label={t('users.more')} />}
        sections={[
          user.second_factor
            ? [{ label: t('users.totp.remove'), icon: 'keyboard', run: () => onAction('totp') }]
            : [],
          user.identity !== null && unlinks
            ? [{ label: t('sso.identity.unlink'), icon: 'lock', run: () => onAction('unlink') }]
            : [],
          [
            {
              label: isActive ? t('users.disable') : t('users.enable'),
              icon: isActive ? 'stop' : 'play',
              isDisabled: user.name === name,
              run: () => onAction(isActive ? 'disable' : 'enable'),
            },
            {
              label: t('users.delete'),
              icon: 'trash',
              isDangerous: true,
              isDisabled: user.name === name,
              run: () => onAction('delete'),
            },
          ],
        ]}
      />
    </div>
  )
}

function IdentityText({ identity }: Pick<UserView, 'identity'>) {
  if (identity === null) return <span className="text-muted">{t('sso.identity.none')}</span>
  const { email, subject, issuer } = identity
  return (
    <>
      {email ?? subject}
      <span className="block text-[0.8125rem] break-all text-muted">{issuer}</span>
    </>
  )
}

function UserFacts({ user }: { readonly user: UserView }) {
  const {
    role,
    status,
    groups,
    identity,
    second_factor,
    created_at,
    created_by_fact: author,
    last_sign_in_at,
  } = user
  return (
    <DetailList
      rows={[
        [t('account.role'), t(`role.${role}`)],
        [t('common.status'), t(`users.status.${status}`)],
        [t('account.groups'), <GroupBadges key="groups" groups={groups} />],
        [t('sso.identity'), <IdentityText key="identity" identity={identity} />],
        [t('account.totp'), second_factor ? t('users.totp.on') : t('users.totp.off')],
        [t('users.created'), <TimeText key="created" at={created_at} />],
        [t('users.created_by'), writeAuthor({ author })],
        [
          t('users.last_sign_in'),
          last_sign_in_at === null ? <Absent key="in" /> : <TimeText key="in" at={last_sign_in_at} />,
        ],
      ]}
    />
  )
}
