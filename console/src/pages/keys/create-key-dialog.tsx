import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { createdKeySchema } from '../../../../src/admin/keys/key-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { useMe } from '../../shell/use-me.ts'
import { SecretOnce } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { KeyFields } from './key-fields.tsx'
import { emptyKey, keyDraftSchema, type MadeKey, writeKeyOrder } from './key-form.ts'
import { useLateSecret } from './use-late-secret.ts'

interface CreateKeyDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** A secret that arrives after the form was closed opens the dialog again, as it cannot be read later. */
export function CreateKeyDialog({ isOpen, onClose }: CreateKeyDialogProps) {
  const [made, setMade] = useState<MadeKey>()
  const onMade = useLateSecret(setMade)
  const close = () => {
    setMade(undefined)
    onClose()
  }
  const title = made === undefined ? t('keys.create') : t('keys.created', { name: made.name })
  return (
    <Dialog isOpen={isOpen || made !== undefined} onClose={close} title={title} isSticky>
      {made === undefined ? (
        <KeyOrder onMade={onMade} onCancel={close} />
      ) : (
        <div className="space-y-4">
          <MadeSecret made={made} />
          <Link
            to="/connect"
            search={{ key: made.name }}
            className="inline-block text-accent hover:underline"
          >
            {t('keys.created.next')}
          </Link>
        </div>
      )}
    </Dialog>
  )
}

interface KeyOrderProps {
  readonly onMade: (made: MadeKey) => void
  readonly onCancel: () => void
}

function KeyOrder({ onMade, onCancel }: KeyOrderProps) {
  const client = useQueryClient()
  const { groups } = useMe()
  // A user in only one group creates keys in that group.
  const initial = useMemo(
    () => ({ ...emptyKey, group: groups.length === 1 ? (groups[0]?.group ?? '') : '' }),
    [groups],
  )
  const form = useForm({
    name: 'key',
    initial,
    schema: keyDraftSchema(),
    fieldOf: (param) => (param === 'expires_at' ? 'life' : param),
    async submit(draft) {
      const body = writeKeyOrder(draft)
      const key = await callApi({ method: 'POST', path: '/keys', body, answer: createdKeySchema })
      form.reset()
      onMade(key)
      await client.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  const cancel = () => {
    form.reset()
    onCancel()
  }
  return (
    <FormFrame form={form} submit={t('keys.create')} onCancel={cancel}>
      <KeyFields form={form} isChange={false} />
    </FormFrame>
  )
}

/** Shows the secret of a new key, which is shown only once. */
export function MadeSecret({ made: { secret } }: { readonly made: MadeKey }) {
  return <SecretOnce secret={secret} label={t('keys.copy')} />
}
