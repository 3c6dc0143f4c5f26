import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { z } from 'zod'
import { hasCode } from '../api/api-error.ts'
import { joinSession } from '../api/call-api.ts'
import { meQuery, reauthenticate } from '../api/session.ts'
import { FormFrame } from '../forms/form-frame.tsx'
import { TextInput } from '../forms/inputs.tsx'
import { useForm } from '../forms/use-form.ts'
import { findText, t } from '../language/language.ts'
import { CodeInput } from '../second-factor/code-input.tsx'
import { useMe } from '../shell/use-me.ts'
import { UserNameField } from '../shell/user-name-field.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ProviderAgain } from './provider-again.tsx'

interface PendingPassword {
  /** The path of the operation that needs the password. */
  readonly path: string
  readonly answer: Promise<boolean>
  settle(isGiven: boolean): void
}

/** Asks for the password again if an operation needs it. The operation then continues by itself. */
export function Reauthentication() {
  const client = useQueryClient()
  const pending = useRef<PendingPassword>(undefined)
  const [isOpen, setOpen] = useState(false)
  const [path, setPath] = useState('')
  const me = useMe()
  useEffect(() => {
    joinSession({
      // Concurrent calls that need the password share one dialog.
      reauthenticate(path) {
        if (pending.current === undefined) {
          const { promise, resolve } = Promise.withResolvers<boolean>()
          pending.current = { path, answer: promise, settle: resolve }
        }
        setPath(pending.current.path)
        setOpen(true)
        return pending.current.answer
      },
      onEnded: () => client.setQueryData(meQuery.queryKey, null),
    })
    return () => joinSession(undefined)
  }, [client])
  const end = (isGiven: boolean) => {
    pending.current?.settle(isGiven)
    pending.current = undefined
    setOpen(false)
  }
  return (
    <Dialog
      isOpen={isOpen}
      onClose={() => end(false)}
      asksToDiscard={false}
      title={me.password ? t('reauthenticate.title') : t('sso.again.title')}
      description={t('reauthenticate.why', { what: describeChange(path) })}
    >
      {me.identity !== null && <ProviderAgain onDone={() => end(true)} />}
      {me.password && <PasswordForm onDone={() => end(true)} onCancel={() => end(false)} />}
    </Dialog>
  )
}

/** Names the object that an operation changes, by the first part of its path. */
function describeChange(path: string): string {
  const [, area = ''] = path.split('/')
  return findText(`reauthenticate.what.${area}`) ?? t('reauthenticate.what.other')
}

const empty = { password: '', code: '' }

interface PasswordFormProps {
  readonly onDone: () => void
  readonly onCancel: () => void
}

function PasswordForm({ onDone, onCancel }: PasswordFormProps) {
  const client = useQueryClient()
  const [needsCode, setNeedsCode] = useState(false)
  const form = useForm({
    name: 'reauthenticate',
    initial: empty,
    secrets: ['password', 'code'],
    schema: z.object({ password: z.string().min(1, { error: t('form.required') }), code: z.string() }),
    async submit({ password, code }) {
      try {
        await reauthenticate({ password, ...(code !== '' && { code }) }, client)
        onDone()
      } catch (error) {
        if (!hasCode(error, 'code_required') || needsCode) throw error
        setNeedsCode(true)
      }
    },
  })
  return (
    <FormFrame form={form} submit={t('common.continue')} onCancel={onCancel}>
      <UserNameField />
      <TextInput
        field={form.bind('password')}
        label={t('sign_in.password')}
        type="password"
        autoComplete="current-password"
        autoFocus
      />
      {needsCode && <CodeInput field={form.bind('code')} />}
    </FormFrame>
  )
}
