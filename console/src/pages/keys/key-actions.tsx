import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { createdKeySchema, type KeyView, keyViewSchema } from '../../../../src/admin/keys/key-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { explainError } from '../../api/describe-error.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { SelectInput } from '../../forms/inputs.tsx'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { MadeSecret } from './create-key-dialog.tsx'
import type { MadeKey } from './key-form.ts'
import { keyPath } from './key-queries.ts'
import { useLateSecret } from './use-late-secret.ts'

export type KeyAction = 'rotate' | 'revoke'

interface KeyActionDialogProps {
  readonly shown: KeyView
  readonly action: KeyAction | undefined
  readonly onClose: () => void
}

export function KeyActionDialog({ shown, action, onClose }: KeyActionDialogProps) {
  return (
    <>
      <RotateDialog shown={shown} isOpen={action === 'rotate'} onClose={onClose} />
      <RevokeKeyDialog shown={shown} isOpen={action === 'revoke'} onClose={onClose} />
    </>
  )
}

interface KeyDialogProps extends Pick<KeyActionDialogProps, 'shown' | 'onClose'> {
  readonly isOpen: boolean
}

/** A secret that arrives after the form was closed opens the dialog again, as it cannot be read later. */
function RotateDialog({ shown, isOpen, onClose }: KeyDialogProps) {
  const [made, setMade] = useState<MadeKey>()
  const onMade = useLateSecret(setMade)
  const close = () => {
    setMade(undefined)
    onClose()
  }
  return (
    <Dialog
      isOpen={isOpen || made !== undefined}
      onClose={close}
      title={t('keys.rotate.title', { name: shown.name })}
      isSticky
    >
      {made === undefined ? (
        <RotateForm shown={shown} onMade={onMade} onCancel={close} />
      ) : (
        <MadeSecret made={made} />
      )}
    </Dialog>
  )
}

const overlaps = ['0s', '1h', '24h', '7d', '30d'] as const
const initial = { overlap: '24h' }

interface RotateFormProps extends Pick<KeyActionDialogProps, 'shown'> {
  readonly onMade: (made: MadeKey) => void
  readonly onCancel: () => void
}

function RotateForm({ shown, onMade, onCancel }: RotateFormProps) {
  const client = useQueryClient()
  const form = useForm({
    name: `rotate.${shown.id}`,
    initial,
    schema: z.object({ overlap: z.string() }),
    async submit(body) {
      const path = `${keyPath(shown.id)}/rotate`
      onMade(await callApi({ method: 'POST', path, body, answer: createdKeySchema }))
      await client.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  return (
    <FormFrame form={form} submit={t('keys.rotate')} onCancel={onCancel}>
      <p className="text-muted">{t('keys.rotate.why')}</p>
      <SelectInput
        field={form.bind('overlap')}
        label={t('keys.overlap')}
        hint={t('keys.overlap.hint')}
        choices={overlaps.map((value) => ({ value, label: t(`keys.overlap.${value}`) }))}
      />
    </FormFrame>
  )
}

function RevokeKeyDialog({ shown, isOpen, onClose }: KeyDialogProps) {
  const client = useQueryClient()
  const revoke = async () => {
    await callApi({ method: 'DELETE', path: keyPath(shown.id), answer: keyViewSchema })
    showToast(t('keys.revoked', { name: shown.name }))
    await client.invalidateQueries({ queryKey: ['keys'] })
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      isDangerous
      onConfirm={revoke}
      title={t('keys.revoke.title', { name: shown.name })}
      confirm={t('keys.revoke')}
    >
      <p>{t('keys.revoke.why')}</p>
    </ConfirmDialog>
  )
}

/** Disables and enables a key. The same button undoes it, so no confirmation is needed. */
export function useDisabling({ id, name, status }: KeyView): { readonly toggle: () => void } {
  const client = useQueryClient()
  const set = async (disabled: boolean) => {
    await callApi({ method: 'PATCH', path: keyPath(id), body: { disabled }, answer: keyViewSchema })
    await client.invalidateQueries({ queryKey: ['keys'] })
  }
  const change = async (disabled: boolean) => {
    try {
      await set(disabled)
      const undo = { label: t('common.undo'), run: () => void change(!disabled) }
      showToast(t(disabled ? 'keys.disabled' : 'keys.enabled', { name }), { action: undo })
    } catch (error) {
      showToast(explainError(error), { tone: 'bad' })
    }
  }
  return { toggle: () => void change(status !== 'disabled') }
}
