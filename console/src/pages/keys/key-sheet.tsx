import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { KeyView } from '../../../../src/admin/keys/key-contract.ts'
import { OwnedByFile } from '../../changes/owned-by-file.tsx'
import { t } from '../../language/language.ts'
import { useMay, usePermissions } from '../../shell/use-me.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Banner, ErrorState, Skeleton } from '../../ui/states.tsx'
import { EditKeyForm } from './edit-key-form.tsx'
import { type KeyAction, KeyActionDialog, useDisabling } from './key-actions.tsx'
import { KeyCallers } from './key-callers.tsx'
import { KeyFacts } from './key-facts.tsx'
import { KeyLimits } from './key-limits.tsx'
import { rotationLines } from './key-lines.ts'
import { keyQuery } from './key-queries.ts'
import { KeyUse } from './key-use.tsx'
import { KeyWarnings } from './key-warnings.tsx'

/** One key, next to the list. */
export function KeySheet() {
  const { id } = useParams({ from: '/frame/keys/$id' })
  const navigate = useNavigate({ from: '/keys/$id' })
  const key = useQuery(keyQuery(id))
  const close = () => void navigate({ to: '/keys', search: (before) => before })
  return (
    <Dialog isOpen onClose={close} shape="side" title={key.data?.name ?? t('keys.one')}>
      {key.isPending && <Skeleton rows={6} />}
      {key.isError && <ErrorState error={key.error} onRetry={() => void key.refetch()} />}
      {key.data !== undefined && <KeyBody shown={key.data} />}
    </Dialog>
  )
}

function KeyBody({ shown }: { readonly shown: KeyView }) {
  const [isEditing, setEditing] = useState(false)
  const [action, setAction] = useState<KeyAction>()
  if (isEditing) return <EditKeyForm shown={shown} onDone={() => setEditing(false)} />
  return (
    <div className="space-y-5">
      <Controls shown={shown} onEdit={() => setEditing(true)} onAction={setAction} />
      <KeyWarnings shown={shown} />
      <KeyFacts shown={shown} />
      <KeyLimits shown={shown} />
      <KeyUse shown={shown} />
      <KeyCallers id={shown.id} />
      {shown.origin === 'bootstrap' && <InFile shown={shown} />}
      <KeyActionDialog shown={shown} action={action} onClose={() => setAction(undefined)} />
    </div>
  )
}

/** The lines in the file, shown only to users who see the whole configuration. */
function InFile({ shown }: { readonly shown: KeyView }) {
  const { seesAll } = usePermissions()
  if (!seesAll || shown.status === 'revoked') return <Banner tone="accent">{t('keys.in_file')}</Banner>
  return <OwnedByFile document={rotationLines(shown)} advice={t('keys.in_file.rotate')} />
}

interface ControlsProps {
  readonly shown: KeyView
  readonly onEdit: () => void
  readonly onAction: (action: KeyAction) => void
}

function Controls({ shown, onEdit, onAction }: ControlsProps) {
  const changesKeys = useMay('PATCH /keys/{id}')
  const disabling = useDisabling(shown)
  const isChangeable = changesKeys && shown.origin === 'made' && shown.status !== 'revoked'
  if (!isChangeable) return null
  const isDisabled = shown.status === 'disabled'
  return (
    <div className="flex flex-wrap gap-2">
      <Button icon="edit" onClick={onEdit}>
        {t('common.edit')}
      </Button>
      <Button icon="refresh" onClick={() => onAction('rotate')}>
        {t('keys.rotate')}
      </Button>
      <Menu
        trigger={<IconButton icon="more" label={t('common.more')} />}
        sections={[
          [
            {
              label: isDisabled ? t('keys.enable') : t('keys.disable'),
              icon: isDisabled ? 'play' : 'stop',
              run: disabling.toggle,
            },
          ],
          [{ label: t('keys.revoke'), icon: 'trash', isDangerous: true, run: () => onAction('revoke') }],
        ]}
      />
    </div>
  )
}
