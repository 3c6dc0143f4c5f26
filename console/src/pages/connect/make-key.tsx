import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { z } from 'zod'
import { type CreatedKey, createdKeySchema } from '../../../../src/admin/keys/key-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { SelectInput, TextInput } from '../../forms/inputs.tsx'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { useMe } from '../../shell/use-me.ts'
import { Card } from '../../ui/card.tsx'

interface MakeKeyProps {
  readonly onMade: (made: CreatedKey) => void
}

/** Creates a first key next to the settings that use it. Its other options are on the page of keys. */
export function MakeKey({ onMade }: MakeKeyProps) {
  const client = useQueryClient()
  const { name, groups } = useMe()
  const initial = useMemo(() => ({ name, group: groups[0]?.group ?? '' }), [name, groups])
  const form = useForm({
    name: 'connect-key',
    initial,
    schema: z.object({
      name: z
        .string()
        .trim()
        .min(1, { error: t('form.required') }),
      group: z.string(),
    }),
    async submit({ name: keyName, group }) {
      const body = { name: keyName, ...(group !== '' && { group }) }
      onMade(await callApi({ method: 'POST', path: '/keys', body, answer: createdKeySchema }))
      await client.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  return (
    <Card title={t('connect.no_keys')}>
      <FormFrame form={form} submit={t('keys.create')}>
        <p className="max-w-3xl text-muted">{t('connect.no_keys.advice')}</p>
        <div className="grid max-w-3xl gap-4 sm:grid-cols-2">
          <TextInput field={form.bind('name')} label={t('common.name')} />
          {groups.length > 1 && (
            <SelectInput
              field={form.bind('group')}
              label={t('keys.group')}
              choices={groups.map(({ group }) => ({ value: group, label: group }))}
            />
          )}
        </div>
      </FormFrame>
    </Card>
  )
}
