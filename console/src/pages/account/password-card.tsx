import { z } from 'zod'
import { changedPasswordSchema } from '../../../../src/admin/people/people-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { TextInput } from '../../forms/inputs.tsx'
import { newPasswordSchema } from '../../forms/new-password.ts'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { UserNameField } from '../../shell/user-name-field.tsx'
import { Card } from '../../ui/card.tsx'
import { showToast } from '../../ui/toasts.tsx'

const empty = { password: '', new_password: '' }

export function PasswordCard() {
  const form = useForm({
    name: 'password',
    initial: empty,
    secrets: ['password', 'new_password'],
    schema: z.object({
      password: z.string().min(1, { error: t('form.required') }),
      new_password: newPasswordSchema(),
    }),
    async submit(body) {
      await callApi({ method: 'POST', path: '/me/password', body, answer: changedPasswordSchema })
      form.reset()
      showToast(t('account.password.changed'))
    },
  })
  return (
    <Card title={t('account.password')}>
      <FormFrame form={form} submit={t('account.password.submit')}>
        <UserNameField />
        <TextInput
          field={form.bind('password')}
          label={t('account.password.current')}
          type="password"
          autoComplete="current-password"
        />
        <TextInput
          field={form.bind('new_password')}
          label={t('account.password.new')}
          type="password"
          autoComplete="new-password"
        />
      </FormFrame>
    </Card>
  )
}
