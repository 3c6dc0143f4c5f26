import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { z } from 'zod'
import { hasCode } from '../../api/api-error.ts'
import { signIn } from '../../api/session.ts'
import { methodsQuery } from '../../api/single-sign-on.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { TextInput } from '../../forms/inputs.tsx'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { CodeInput } from '../../second-factor/code-input.tsx'
import { CodeBlock } from '../../ui/copy-button.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { EntryFrame } from './entry-frame.tsx'
import { OrLine, ProviderButton } from './provider-button.tsx'

const FIRST_OWNER_COMMAND = 'headgate users accept'

const empty = { name: '', password: '', code: '' }

/** Replaces every page while nobody is signed in. After the sign-in the requested page is shown. */
export function SignInPage() {
  const { data: methods, isPending } = useQuery(methodsQuery)
  const { href } = useLocation()
  const provider = methods?.oidc ?? undefined
  if (isPending)
    return (
      <EntryFrame title={t('sign_in.title')}>
        <Skeleton />
      </EntryFrame>
    )
  return (
    <EntryFrame title={t('sign_in.title')}>
      {provider !== undefined && (
        <>
          <ProviderButton label={provider.label} returnTo={href.replace(/^\//, '')} isPrimary />
          {methods?.password === true && <OrLine />}
        </>
      )}
      {methods?.password === false ? (
        <details className="mt-5">
          <summary className="cursor-pointer text-[0.8125rem] text-muted">{t('sso.owners')}</summary>
          <div className="pt-4">
            <PasswordForm isFirst={false} />
          </div>
        </details>
      ) : (
        <PasswordForm isFirst={provider === undefined} />
      )}
    </EntryFrame>
  )
}

function PasswordForm({ isFirst }: { readonly isFirst: boolean }) {
  const client = useQueryClient()
  const [needsCode, setNeedsCode] = useState(false)
  const required = z.string().min(1, { error: t('form.required') })
  const form = useForm({
    name: 'sign-in',
    initial: empty,
    secrets: ['password', 'code'],
    schema: z.object({ name: required, password: required, code: z.string() }),
    async submit({ name, password, code }) {
      try {
        await signIn({ name, password, ...(code !== '' && { code }) }, client)
      } catch (error) {
        if (!hasCode(error, 'code_required') || needsCode) throw error
        setNeedsCode(true)
      }
    },
  })
  return (
    <>
      <FormFrame form={form} submit={t('sign_in.submit')}>
        <TextInput
          field={form.bind('name')}
          label={t('sign_in.name')}
          autoComplete="username"
          autoFocus={isFirst}
        />
        <TextInput
          field={form.bind('password')}
          label={t('sign_in.password')}
          type="password"
          autoComplete="current-password"
        />
        {needsCode && <CodeInput field={form.bind('code')} />}
      </FormFrame>
      <p className="mt-5 text-[0.8125rem] text-muted">{t('sign_in.help')}</p>
      <details className="mt-2 text-[0.8125rem] text-muted">
        <summary className="cursor-pointer">{t('sign_in.no_owner')}</summary>
        <div className="space-y-2 pt-2">
          <p>{t('sign_in.no_owner.advice')}</p>
          <CodeBlock text={FIRST_OWNER_COMMAND} label={t('sign_in.no_owner')} />
        </div>
      </details>
    </>
  )
}
