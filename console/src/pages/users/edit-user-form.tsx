import { useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import {
  changedUserSchema,
  type UserView,
  userViewSchema,
} from '../../../../src/admin/people/people-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { SelectInput } from '../../forms/inputs.tsx'
import { rereads } from '../../forms/submit-for-now.ts'
import { useForm } from '../../forms/use-form.ts'
import { WordsInput } from '../../forms/words-input.tsx'
import { t } from '../../language/language.ts'
import { useGroupNames } from '../../suggestions/people-names.ts'
import { showToast } from '../../ui/toasts.tsx'
import { readMemberships } from './membership-words.ts'
import { useGivenRoles } from './roles.ts'

interface EditUserFormProps {
  readonly user: UserView
  readonly onDone: () => void
}

function isSame(names: readonly string[], others: readonly string[]): boolean {
  return names.length === others.length && names.every((name) => others.includes(name))
}

const userPath = ({ id }: UserView) => `/users/${encodeURIComponent(id)}`

function draftUser({ role, groups }: UserView): {
  readonly role: string
  readonly groups: readonly string[]
} {
  return { role, groups: groups.map(({ group }) => group) }
}

/** Role and groups of a user. */
export function EditUserForm({ user, onDone }: EditUserFormProps) {
  const client = useQueryClient()
  const roles = useGivenRoles()
  const groupNames = useGroupNames()
  const form = useForm({
    name: `user.${user.id}`,
    initial: draftUser(user),
    schema: z.object({ role: z.string(), groups: z.array(z.string()) }),
    reread: rereads({ path: userPath(user), answer: userViewSchema, read: draftUser }),
    async submit({ role, groups: names }) {
      // Unchanged fields are not sent, so that a concurrent change by another operator is not undone.
      const body = {
        ...(role !== form.initial.role && { role }),
        ...(!isSame(names, form.initial.groups) && { groups: readMemberships(names, user.groups) }),
      }
      const path = userPath(user)
      if (Object.keys(body).length > 0)
        await callApi({ method: 'PATCH', path, body, answer: changedUserSchema })
      showToast(t('users.changed', { name: user.name }))
      await client.invalidateQueries({ queryKey: ['users'] })
      onDone()
    },
  })
  const cancel = () => {
    form.reset()
    onDone()
  }
  return (
    <FormFrame form={form} submit={t('users.save')} onCancel={cancel}>
      <SelectInput
        field={form.bind('role')}
        label={t('account.role')}
        hint={t('users.role.hint')}
        choices={roles.map((value) => ({ value, label: t(`role.${value}`) }))}
      />
      <WordsInput
        field={form.bind('groups')}
        label={t('account.groups')}
        hint={t('users.groups.hint')}
        suggestions={groupNames}
      />
    </FormFrame>
  )
}
