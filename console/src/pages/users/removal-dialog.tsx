import { useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import {
  changedUserSchema,
  deletedUserSchema,
  type MovedKeys,
  type UserView,
} from '../../../../src/admin/people/people-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { SelectInput, TextInput } from '../../forms/inputs.tsx'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { useUserNames } from '../../suggestions/people-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'

interface RemovalDialogProps {
  readonly user: UserView
  readonly removal: 'disable' | 'delete'
  readonly onClose: () => void
  readonly onGone: () => void
}

const initial = { keys: 'disable', heir: '' }
const choices = ['disable', 'hand-over'] as const

/** Disables or deletes a user, and asks what to do with the user's keys. */
export function RemovalDialog({ user, removal, onClose, onGone }: RemovalDialogProps) {
  const client = useQueryClient()
  const heirs = useUserNames().filter((name) => name !== user.name)
  const form = useForm({
    name: `${removal}.${user.id}`,
    initial,
    schema: z
      .object({ keys: z.string(), heir: z.string().trim() })
      .refine(({ keys, heir }) => keys !== 'hand-over' || heir !== '', {
        path: ['heir'],
        error: t('form.required'),
      }),
    async submit({ keys: choice, heir }) {
      const keys = choice === 'hand-over' ? `hand-over:${heir}` : choice
      const moved = await remove(user, removal, keys)
      showToast(t(`users.${removal}.done`, { name: user.name, count: moved?.changed ?? 0 }))
      onClose()
      if (removal === 'delete') onGone()
      // A deleted user is not read again.
      const changed = removal === 'delete' ? ['users', 'list'] : ['users']
      await client.invalidateQueries({ queryKey: changed })
    },
  })
  const cancel = () => {
    form.reset()
    onClose()
  }
  return (
    <Dialog
      isOpen
      onClose={cancel}
      title={t(`users.${removal}.title`, { name: user.name })}
      description={t(`users.${removal}.why`)}
    >
      <FormFrame form={form} submit={t(`users.${removal}`)} onCancel={cancel} isDangerous>
        <SelectInput
          field={form.bind('keys')}
          label={t('users.keys')}
          hint={t('users.keys.hint')}
          choices={choices.map((value) => ({ value, label: t(`users.keys.${value}`) }))}
        />
        {form.values.keys === 'hand-over' && (
          <TextInput field={form.bind('heir')} label={t('users.heir')} suggestions={heirs} />
        )}
      </FormFrame>
    </Dialog>
  )
}

async function remove(
  { id }: UserView,
  removal: RemovalDialogProps['removal'],
  keys: string,
): Promise<MovedKeys | null> {
  const path = `/users/${encodeURIComponent(id)}`
  const answer =
    removal === 'delete'
      ? await callApi({ method: 'DELETE', path, query: { keys }, answer: deletedUserSchema })
      : await callApi({ method: 'PATCH', path, body: { disabled: true, keys }, answer: changedUserSchema })
  return answer.keys
}
