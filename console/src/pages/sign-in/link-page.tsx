import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { z } from 'zod'
import type { LinkView } from '../../../../src/admin/people/people-contract.ts'
import { hasCode } from '../../api/api-error.ts'
import { acceptLink, meQuery, showLink, signIn } from '../../api/session.ts'
import { methodsQuery } from '../../api/single-sign-on.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { TextInput } from '../../forms/inputs.tsx'
import { MIN_PASSWORD_CHARACTERS, newPasswordSchema } from '../../forms/new-password.ts'
import { type Form, useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/badge.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { TimeText } from '../../ui/text.tsx'
import { EntryFrame } from './entry-frame.tsx'
import { readLinkSecret } from './link-secret.ts'
import { OrLine, ProviderButton } from './provider-button.tsx'

/** The page of a link. Its visitor becomes the first owner, accepts an invitation, or chooses a new password. */
export function LinkPage() {
  const [secret] = useState(readLinkSecret)
  const link = useQuery({
    queryKey: ['link'],
    queryFn: () => showLink(secret),
    enabled: secret !== '',
    retry: false,
    gcTime: 0,
  })
  if (secret === '') {
    return (
      <EntryFrame title={t('link.none')}>
        <p className="mb-4 text-muted">{t('link.none.advice')}</p>
        <Link to="/" className={buttonClass('plain')}>
          {t('sign_in.title')}
        </Link>
      </EntryFrame>
    )
  }
  if (link.isPending)
    return (
      <EntryFrame title={t('link.title')}>
        <Skeleton />
      </EntryFrame>
    )
  if (link.isError)
    return (
      <EntryFrame title={t('link.title')}>
        <ErrorState error={link.error} />
      </EntryFrame>
    )
  return (
    <EntryFrame title={t(`link.${link.data.type}.title`)}>
      <LinkForm link={link.data} secret={secret} />
    </EntryFrame>
  )
}

function createAcceptanceSchema(needsName: boolean) {
  return z
    .object({
      name: z.string().min(needsName ? 1 : 0, { error: t('form.required') }),
      password: newPasswordSchema(),
      again: z.string(),
    })
    .refine(({ password, again }) => password === again, {
      path: ['again'],
      error: t('link.password.differs'),
    })
}

const empty = { name: '', password: '', again: '' }

function LinkForm({ link, secret }: { readonly link: LinkView; readonly secret: string }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { data: methods } = useQuery(methodsQuery)
  const provider = link.type === 'reset' ? undefined : (methods?.oidc ?? undefined)
  const hasPassword = methods?.password !== false || link.role === 'owner' || link.type === 'reset'
  const form = useForm({
    name: 'link',
    initial: empty,
    secrets: ['password', 'again'],
    schema: createAcceptanceSchema(link.name === null),
    async submit({ name, password }) {
      const user = await acceptLink({ secret, password, ...(link.name === null && { name }) })
      client.setQueryData(meQuery.queryKey, null)
      try {
        await signIn({ name: user.name, password }, client)
      } catch (error) {
        // The link is already used, so the sign-in page asks for the code.
        if (!hasCode(error, 'code_required')) throw error
      }
      await navigate({ to: '/', replace: true })
    },
  })
  return (
    <>
      <LinkTerms link={link} />
      {provider !== undefined && (
        <>
          <ProviderButton label={provider.label} link={secret} isPrimary />
          {hasPassword && <OrLine />}
        </>
      )}
      {hasPassword && (
        <FormFrame form={form} submit={t(`link.${link.type}.submit`)}>
          <SignInFields form={form} needsName={link.name === null} />
        </FormFrame>
      )}
    </>
  )
}

interface SignInFieldsProps {
  readonly form: Form<typeof empty>
  readonly needsName: boolean
}

function SignInFields({ form, needsName }: SignInFieldsProps) {
  return (
    <>
      {needsName && (
        <TextInput field={form.bind('name')} label={t('sign_in.name')} autoComplete="username" autoFocus />
      )}
      <TextInput
        field={form.bind('password')}
        label={t('link.password')}
        hint={t('link.password.hint', { min: MIN_PASSWORD_CHARACTERS })}
        type="password"
        autoComplete="new-password"
        autoFocus={!needsName}
      />
      <TextInput
        field={form.bind('again')}
        label={t('link.again')}
        type="password"
        autoComplete="new-password"
      />
    </>
  )
}

function LinkTerms({ link: { type, name, role, groups, expires_at } }: { readonly link: LinkView }) {
  return (
    <div className="mb-5 space-y-1.5 text-muted">
      <p>{t(`link.${type}.why`, { name: name ?? '' })}</p>
      {name !== null && type === 'invitation' && <p>{t('link.name', { name })}</p>}
      {role !== null && type === 'invitation' && (
        <p className="flex flex-wrap items-center gap-1.5">
          {t('link.role')} <Badge tone="accent">{t(`role.${role}`)}</Badge>
          {groups.map(({ group }) => (
            <Badge key={group}>{group}</Badge>
          ))}
        </p>
      )}
      <p>
        {t('link.expires')} <TimeText at={expires_at} style="distance" />
      </p>
    </div>
  )
}
