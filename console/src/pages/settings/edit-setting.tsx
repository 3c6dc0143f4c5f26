import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { type SectionView, settingsViewSchema } from '../../../../src/admin/settings/settings-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { ChangeEffects } from '../../changes/change-effects.tsx'
import { useAddToDraft } from '../../changes/open-draft.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { TextArea } from '../../forms/inputs.tsx'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'

/** Changes a setting that applies without a restart, or leaves it to its default. */
export function EditSetting({ section }: { readonly section: SectionView }) {
  const [opened, setOpened] = useState<'edit' | 'reset'>()
  const close = () => setOpened(undefined)
  const { name } = section
  return (
    <>
      {section.owner === 'api' && (
        <Button isSmall variant="quiet" onClick={() => setOpened('reset')}>
          {t('settings.reset')}
        </Button>
      )}
      <Button isSmall variant="quiet" icon="edit" onClick={() => setOpened('edit')}>
        {t('settings.edit')}
      </Button>
      <Dialog
        isOpen={opened === 'edit'}
        onClose={close}
        isSticky
        title={t('settings.edit.title', { name })}
        description={t('settings.edit.why')}
      >
        <SettingForm section={section} onDone={close} />
      </Dialog>
      <ResetDialog name={name} isOpen={opened === 'reset'} onClose={close} />
    </>
  )
}

const pathOf = (name: string) => `/settings/${encodeURIComponent(name)}`

interface SettingFormProps {
  readonly section: SectionView
  readonly onDone: () => void
}

function SettingForm({ section: { name, value }, onDone }: SettingFormProps) {
  const client = useQueryClient()
  const addToDraft = useAddToDraft()
  const [initial] = useState({ value: JSON.stringify(value, undefined, 2) })
  const form = useForm({
    name: `setting.${name}`,
    initial,
    schema: z.object({ value: jsonSchema() }),
    fieldOf: () => 'value',
    async submit(typed, mode) {
      if (mode === 'draft') await addToDraft({ kind: 'settings', name, change: 'replace', object: typed })
      else {
        await callApi({ method: 'PUT', path: pathOf(name), body: typed, answer: settingsViewSchema })
        showToast(t('settings.edit.done', { name }))
        await client.invalidateQueries()
      }
      onDone()
    },
  })
  return (
    <FormFrame form={form} submit={t('settings.edit.submit')} onCancel={onDone} canDraft>
      <TextArea field={form.bind('value')} label={t('settings.edit.value')} rows={12} isCode />
    </FormFrame>
  )
}

/** Reads what was typed as JSON. */
function jsonSchema() {
  return z.string().transform((text, context): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      // What somebody types is no JSON until it is whole.
      context.addIssue({ code: 'custom', message: t('settings.edit.rule') })
      return z.NEVER
    }
  })
}

interface ResetDialogProps {
  readonly name: string
  readonly isOpen: boolean
  readonly onClose: () => void
}

function ResetDialog({ name, isOpen, onClose }: ResetDialogProps) {
  const client = useQueryClient()
  const addToDraft = useAddToDraft()
  const removal = { kind: 'settings', name, change: 'remove' } as const
  const reset = async () => {
    await callApi({ method: 'DELETE', path: pathOf(name), answer: settingsViewSchema })
    showToast(t('settings.reset.done', { name }))
    await client.invalidateQueries()
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={reset}
      onDraft={() => addToDraft(removal)}
      title={t('settings.reset.title', { name })}
      confirm={t('settings.reset')}
    >
      <ChangeEffects change={removal} />
    </ConfirmDialog>
  )
}
