import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import type { Me } from '../../../../src/admin/people/people-contract.ts'
import { explainError } from '../../api/describe-error.ts'
import { meQuery, signOut } from '../../api/session.ts'
import { showCode } from '../../api/single-sign-on.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { CodeInput } from '../../second-factor/code-input.tsx'
import { SecondFactorSetup } from '../../second-factor/second-factor-setup.tsx'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { EntryFrame } from './entry-frame.tsx'

/** Replaces every page while a session lacks the second factor. */
export function MissingFactorPage({ missing }: { readonly missing: NonNullable<Me['missing_factor']> }) {
  return missing === 'code' ? <CodePage /> : <EnrolmentPage />
}

const empty = { code: '' }

function CodePage() {
  const client = useQueryClient()
  const form = useForm({
    name: 'missing-code',
    initial: empty,
    secrets: ['code'],
    schema: z.object({ code: z.string().min(1, { error: t('form.required') }) }),
    submit: ({ code }) => showCode(code, client),
  })
  return (
    <EntryFrame title={t('sso.code.title')}>
      <p className="mb-4 text-muted">{t('sso.code.why')}</p>
      <FormFrame form={form} submit={t('common.continue')}>
        <CodeInput field={form.bind('code')} />
      </FormFrame>
      <SignOutButton />
    </EntryFrame>
  )
}

function EnrolmentPage() {
  const client = useQueryClient()
  const [isShown, setShown] = useState(false)
  const goOn = () => void client.invalidateQueries({ queryKey: meQuery.queryKey })
  return (
    <EntryFrame title={t('sso.enrol.title')}>
      <p className="mb-4 text-muted">{t('sso.enrol.why')}</p>
      <SecondFactorSetup onCodes={() => setShown(true)} />
      {isShown ? (
        <Button variant="primary" className="mt-5" onClick={goOn}>
          {t('sso.enrol.go_on')}
        </Button>
      ) : (
        <SignOutButton />
      )}
    </EntryFrame>
  )
}

function SignOutButton() {
  const client = useQueryClient()
  const leave = () =>
    signOut(client).catch((error: unknown) => showToast(explainError(error), { tone: 'bad' }))
  return (
    <Button variant="quiet" className="mt-4" onClick={() => void leave()}>
      {t('account.sign_out')}
    </Button>
  )
}
