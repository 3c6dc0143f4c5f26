import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type CreatedLink,
  changedUserSchema,
  createdLinkSchema,
  removedTotpSchema,
  type UserView,
} from '../../../../src/admin/people/people-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { unlinkIdentity } from '../../api/single-sign-on.ts'
import { t } from '../../language/language.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { MadeLink } from './made-link.tsx'
import { RemovalDialog } from './removal-dialog.tsx'

export type UserAction = 'reset' | 'totp' | 'unlink' | 'enable' | 'disable' | 'delete'

interface UserActionDialogProps {
  readonly user: UserView
  readonly action: UserAction | undefined
  readonly onClose: () => void
  /** The user is deleted. */
  readonly onGone: () => void
}

export function UserActionDialog({ user, action, onClose, onGone }: UserActionDialogProps) {
  return (
    <>
      <ResetDialog user={user} isOpen={action === 'reset'} onClose={onClose} />
      <SimpleDialogs user={user} action={action} onClose={onClose} />
      <UnlinkDialog user={user} isOpen={action === 'unlink'} onClose={onClose} />
      {(action === 'disable' || action === 'delete') && (
        <RemovalDialog user={user} removal={action} onClose={onClose} onGone={onGone} />
      )}
    </>
  )
}

interface ResetDialogProps extends Pick<UserActionDialogProps, 'user' | 'onClose'> {
  readonly isOpen: boolean
}

function ResetDialog({ user, isOpen, onClose }: ResetDialogProps) {
  const [link, setLink] = useState<CreatedLink>()
  const client = useQueryClient()
  const make = async () => {
    const path = `/users/${encodeURIComponent(user.id)}/reset-link`
    setLink(await callApi({ method: 'POST', path, body: {}, answer: createdLinkSchema }))
    await client.invalidateQueries({ queryKey: ['links'] })
  }
  const title = t('users.reset.title', { name: user.name })
  return (
    <>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={onClose}
        onConfirm={make}
        title={title}
        confirm={t('users.reset.submit')}
      >
        <p>{t('users.reset.why')}</p>
      </ConfirmDialog>
      <Dialog isOpen={link !== undefined} onClose={() => setLink(undefined)} title={title} isSticky>
        {link !== undefined && <MadeLink link={link} />}
      </Dialog>
    </>
  )
}

function UnlinkDialog({ user, isOpen, onClose }: ResetDialogProps) {
  const client = useQueryClient()
  const unlink = async () => {
    await unlinkIdentity(user)
    showToast(t('sso.identity.unlinked', { name: user.name }))
    await client.invalidateQueries({ queryKey: ['users'] })
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      isDangerous
      onConfirm={unlink}
      title={t('sso.identity.unlink')}
      confirm={t('sso.identity.unlink')}
    >
      <p>{t('sso.identity.unlink.why')}</p>
      {!user.password && <p>{t('sso.identity.unlink.password')}</p>}
    </ConfirmDialog>
  )
}

function SimpleDialogs({ user, action, onClose }: Omit<UserActionDialogProps, 'onGone'>) {
  const client = useQueryClient()
  const path = `/users/${encodeURIComponent(user.id)}`
  const finish = async (text: string) => {
    showToast(text)
    await client.invalidateQueries({ queryKey: ['users'] })
  }
  const removeFactor = async () => {
    await callApi({ method: 'DELETE', path: `${path}/totp`, answer: removedTotpSchema })
    await finish(t('users.totp.removed', { name: user.name }))
  }
  const enable = async () => {
    await callApi({ method: 'PATCH', path, body: { disabled: false }, answer: changedUserSchema })
    await finish(t('users.enabled', { name: user.name }))
  }
  return (
    <>
      <ConfirmDialog
        isOpen={action === 'totp'}
        onClose={onClose}
        isDangerous
        onConfirm={removeFactor}
        title={t('users.totp.title', { name: user.name })}
        confirm={t('users.totp.remove')}
      >
        <p>{t('users.totp.why')}</p>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={action === 'enable'}
        onClose={onClose}
        onConfirm={enable}
        title={t('users.enable.title', { name: user.name })}
        confirm={t('users.enable')}
      >
        <p>{t('users.enable.why')}</p>
      </ConfirmDialog>
    </>
  )
}
