import { t } from '../../language/language.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { MadeSecret } from './create-key-dialog.tsx'
import { dropLateSecret, useLateSecrets } from './use-late-secret.ts'

/** Shows the secrets that arrived after their dialog was gone, one after the other. */
export function LateSecret() {
  const [made] = useLateSecrets()
  return (
    <Dialog
      isOpen={made !== undefined}
      onClose={dropLateSecret}
      title={t('keys.created', { name: made?.name ?? '' })}
      isSticky
    >
      {made !== undefined && <MadeSecret made={made} />}
    </Dialog>
  )
}
