import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { type CreatedLink, createdLinkSchema } from '../../../../src/admin/people/people-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { SelectInput, TextInput } from '../../forms/inputs.tsx'
import { useForm } from '../../forms/use-form.ts'
import { WordsInput } from '../../forms/words-input.tsx'
import { t } from '../../language/language.ts'
import { useGroupNames } from '../../suggestions/people-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { MadeLink } from './made-link.tsx'
import { readMemberships } from './membership-words.ts'
import { useGivenRoles } from './roles.ts'

interface InviteDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Creates a link with which a person becomes a user. */
export function InviteDialog({ isOpen, onClose }: InviteDialogProps) {
  const [made, setMade] = useState<CreatedLink>()
  const close = () => {
    setMade(undefined)
    onClose()
  }
  return (
    <Dialog
      isOpen={isOpen || made !== undefined}
      onClose={close}
      title={t('users.invite')}
      isSticky={made !== undefined}
    >
      {made === undefined ? <InviteForm onMade={setMade} onCancel={close} /> : <MadeLink link={made} />}
    </Dialog>
  )
}

const initial: { readonly role: string; readonly name: string; readonly groups: readonly string[] } = {
  role: 'member',
  name: '',
  groups: [],
}

interface InviteFormProps {
  readonly onMade: (link: CreatedLink) => void
  readonly onCancel: () => void
}

function InviteForm({ onMade, onCancel }: InviteFormProps) {
  const client = useQueryClient()
  const roles = useGivenRoles()
  const groups = useGroupNames()
  const form = useForm({
    name: 'invite',
    initial,
    schema: z.object({ role: z.string(), name: z.string().trim(), groups: z.array(z.string()) }),
    async submit({ role, name, groups: names }) {
      const body = { role, groups: readMemberships(names), ...(name !== '' && { name }) }
      const link = await callApi({ method: 'POST', path: '/users/invite', body, answer: createdLinkSchema })
      form.reset()
      onMade(link)
      await client.invalidateQueries({ queryKey: ['links'] })
    },
  })
  return (
    <FormFrame form={form} submit={t('users.invite.submit')} onCancel={onCancel}>
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
        suggestions={groups}
        isOptional
      />
      <TextInput field={form.bind('name')} label={t('common.name')} hint={t('users.name.hint')} isOptional />
    </FormFrame>
  )
}
