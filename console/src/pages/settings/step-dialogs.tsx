import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  configViewSchema,
  type VersionView,
  versionDiffSchema,
} from '../../../../src/admin/config/config-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { t } from '../../language/language.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { ChangeList } from './change-list.tsx'

interface StepDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

interface UndoDialogProps extends StepDialogProps {
  readonly newest: VersionView | undefined
}

/** Takes back what the newest version changed, after saying what that is. */
export function UndoDialog({ newest, isOpen, onClose }: UndoDialogProps) {
  const step = useStep()
  if (newest === undefined) return null
  const { version, changes } = newest
  return (
    <ConfirmDialog
      {...{ isOpen, onClose }}
      title={t('settings.undo.title', { version: String(version) })}
      confirm={t('settings.undo')}
      onConfirm={() => step('/config/undo', version, t('settings.undone', { version: String(version) }))}
    >
      <p>{t('settings.undo.why')}</p>
      <ChangeList changes={changes} />
    </ConfirmDialog>
  )
}

interface RestoreDialogProps extends StepDialogProps {
  readonly version: number
  readonly newest: number | undefined
}

/** Makes an older version the newest, after showing what would change. */
export function RestoreDialog({ version, newest, isOpen, onClose }: RestoreDialogProps) {
  const step = useStep()
  const diff = useQuery({
    queryKey: ['config', 'diff', version, newest],
    queryFn: ({ signal }) =>
      callApi({
        path: `/config/versions/${version}/diff`,
        query: { from: newest },
        answer: versionDiffSchema,
        signal,
      }),
    enabled: isOpen && newest !== undefined,
  })
  const done = t('settings.restored', { version: String(version) })
  return (
    <ConfirmDialog
      {...{ isOpen, onClose }}
      title={t('settings.restore.title', { version: String(version) })}
      confirm={t('settings.restore')}
      onConfirm={() => step(`/config/versions/${version}/restore`, newest, done)}
    >
      <p>{t('settings.restore.why')}</p>
      {diff.isPending && <Skeleton />}
      {diff.isError && <ErrorState error={diff.error} onRetry={() => void diff.refetch()} />}
      {diff.data !== undefined && <ChangeList changes={diff.data.changes} />}
    </ConfirmDialog>
  )
}

/** Refused by the gateway where somebody else made another version in between. */
function useStep() {
  const client = useQueryClient()
  return async (path: string, base: number | undefined, done: string) => {
    const body = base === undefined ? {} : { base_version: base }
    await callApi({ method: 'POST', path, body, answer: configViewSchema })
    showToast(done)
    await client.invalidateQueries()
  }
}
