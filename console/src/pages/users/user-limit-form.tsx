import { useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import { type ObjectView, objectViewSchema } from '../../../../src/admin/config/config-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { anyAnswerSchema } from '../../api/session.ts'
import { writeRate } from '../../budgets/budget-drafts.ts'
import { BudgetsInput } from '../../budgets/budgets-input.tsx'
import { RateInputs } from '../../budgets/rate-inputs.tsx'
import {
  draftLimits,
  emptyLimits,
  type LimitsDraft,
  limitsDraftFields,
  patchLimits,
  readLimits,
  writeLimits,
} from '../../budgets/written-limits.ts'
import { type ObjectChange, useAddToDraft } from '../../changes/open-draft.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { TextInput } from '../../forms/inputs.tsx'
import { rereads } from '../../forms/submit-for-now.ts'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { useUserNames } from '../../suggestions/people-names.ts'
import { showToast } from '../../ui/toasts.tsx'

interface UserLimitFormProps {
  /** The name of the user. Absent if the form asks for it. */
  readonly user?: string
  /** The current limits, if there are any. */
  readonly limits?: ObjectView | undefined
  readonly onDone: () => void
}

// A type and not an interface, since a form holds values by any name.
type UserLimitDraft = LimitsDraft & { readonly name: string }

/** The budgets and rates that all keys of a user share. */
export function UserLimitForm({ user, limits, onDone }: UserLimitFormProps) {
  const client = useQueryClient()
  const names = useUserNames()
  const addToDraft = useAddToDraft()
  const initial: UserLimitDraft = {
    name: user ?? '',
    ...(limits === undefined ? emptyLimits : draftLimits(limits)),
  }
  const form = useForm({
    name: `user-limits.${user ?? ''}`,
    initial,
    schema: z.object({
      name: z
        .string()
        .trim()
        .min(1, { error: t('form.required') }),
      ...limitsDraftFields(),
    }),
    reread:
      limits &&
      rereads({
        path: limitsPath(limits.name),
        answer: objectViewSchema,
        read: (view) => ({ name: view.name, ...draftLimits(view) }),
      }),
    async submit(draft, mode, ifMatch) {
      const change = changeOf(form.initial, draft, limits)
      if (mode === 'draft') await addToDraft(change)
      else {
        await send(change, ifMatch)
        showToast(t('users.limits.saved', { name: draft.name }))
        await client.invalidateQueries({ queryKey: ['user-limits'] })
        await client.invalidateQueries({ queryKey: ['budgets'] })
      }
      form.reset()
      onDone()
    },
  })
  const cancel = () => {
    form.reset()
    onDone()
  }
  return (
    <FormFrame form={form} submit={t('users.limits.save')} onCancel={cancel} canDraft>
      {user === undefined && (
        <TextInput
          field={form.bind('name')}
          label={t('users.limits.user')}
          hint={t('users.limits.user.hint')}
          suggestions={names}
          autoFocus
        />
      )}
      <p className="text-muted">{t('users.limits.why')}</p>
      <BudgetsInput field={form.bind('budgets')} errors={form.errors} />
      <RateInputs field={form.bind('rate')} errors={form.errors} />
    </FormFrame>
  )
}

/** Limits that are all cleared are removed. */
function changeOf(
  initial: UserLimitDraft,
  draft: UserLimitDraft,
  limits: ObjectView | undefined,
): ObjectChange {
  const { name } = draft
  const target = { kind: 'user-limits', name } as const
  const { rate } = readLimits(limits)
  const whole = { ...writeLimits(draft), rate: writeRate(draft.rate, rate) }
  const object = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null))
  if (limits === undefined) return { ...target, change: 'create', object }
  if (Object.keys(object).length === 0) return { ...target, change: 'remove' }
  return { ...target, change: 'patch', object: patchLimits(initial, draft, limits) }
}

const limitsPath = (name: string) => `/user-limits/${encodeURIComponent(name)}`

function send({ name, change, object }: ObjectChange, ifMatch: string | undefined): Promise<unknown> {
  const path = limitsPath(name)
  switch (change) {
    case 'create':
    case 'replace':
      return callApi({
        method: 'POST',
        path: '/user-limits',
        body: { name, ...object },
        answer: anyAnswerSchema,
      })
    case 'patch':
      return callApi({ method: 'PATCH', path, body: object, ifMatch, answer: anyAnswerSchema })
    case 'remove':
      return callApi({ method: 'DELETE', path, ifMatch, answer: anyAnswerSchema })
  }
}
