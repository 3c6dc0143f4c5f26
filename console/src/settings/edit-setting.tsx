import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type SectionView, settingsViewSchema } from '../../../src/admin/settings/settings-contract.ts'
import { callApi } from '../api/call-api.ts'
import { ChangeEffects } from '../changes/change-effects.tsx'
import { useAddToDraft } from '../changes/open-draft.ts'
import { useChangedToast } from '../changes/undo-version.ts'
import { t } from '../language/language.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { findSettingTitle, pathOfSetting, SettingForm } from './setting-form.tsx'
import { planPart, planSetting, type SettingPlan } from './setting-plan.ts'

interface EditSettingProps {
  readonly section: SectionView
  /** Whether only a part of the setting is edited here. The whole setting then cannot be reset here. */
  readonly isPart?: boolean
}

/** Changes a setting, resets it to its default, or shows the lines for the file that owns it. */
export function EditSetting({ section, isPart = false }: EditSettingProps) {
  const [opened, setOpened] = useState<'edit' | 'reset'>()
  const close = () => setOpened(undefined)
  const { name, editable, owner } = section
  const plan = planOf(section)
  const label = editable ? t('settings.edit') : t('settings.lines.make')
  return (
    <>
      {editable && owner === 'api' && !isPart && (
        <Button
          isSmall
          variant="quiet"
          aria-label={`${t('settings.reset')}: ${name}`}
          onClick={() => setOpened('reset')}
        >
          {t('settings.reset')}
        </Button>
      )}
      {plan !== undefined && (
        <Button
          isSmall
          variant="quiet"
          icon="edit"
          aria-label={`${label}: ${name}`}
          onClick={() => setOpened('edit')}
        >
          {label}
        </Button>
      )}
      {plan !== undefined && (
        <Dialog
          isOpen={opened === 'edit'}
          onClose={close}
          isSticky
          shape="wide"
          title={t('settings.edit.title', { name: findSettingTitle(name) ?? name })}
          description={editable ? t('settings.edit.why') : t('settings.lines.why')}
        >
          <SettingForm section={section} plan={plan} onDone={close} />
        </Dialog>
      )}
      <ResetDialog name={name} isOpen={opened === 'reset'} onClose={close} />
    </>
  )
}

/** Rules and receivers of alerts are changed one by one on the alerts page. */
function planOf({ name, schema }: SectionView): SettingPlan | undefined {
  return name === 'alerts' ? planPart(schema, ['repeat']) : planSetting(schema)
}

interface ResetDialogProps {
  readonly name: string
  readonly isOpen: boolean
  readonly onClose: () => void
}

function ResetDialog({ name, isOpen, onClose }: ResetDialogProps) {
  const client = useQueryClient()
  const addToDraft = useAddToDraft()
  const sayChanged = useChangedToast()
  const removal = { kind: 'settings', name, change: 'remove' } as const
  const reset = async () => {
    const path = pathOfSetting(name)
    const { config_version: version } = await callApi({ method: 'DELETE', path, answer: settingsViewSchema })
    sayChanged(t('settings.reset.done', { name: findSettingTitle(name) ?? name }), version)
    await client.invalidateQueries()
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={reset}
      onDraft={() => addToDraft(removal)}
      title={t('settings.reset.title', { name: findSettingTitle(name) ?? name })}
      confirm={t('settings.reset')}
    >
      <ChangeEffects change={removal} />
    </ConfirmDialog>
  )
}
