import type { CreatedLink } from '../../../../src/admin/people/people-contract.ts'
import { writeLinkAddress } from '../../browser/addresses.ts'
import { t } from '../../language/language.ts'
import { SecretOnce } from '../../ui/copy-button.tsx'
import { TimeText } from '../../ui/text.tsx'

/** A new link, shown so that the operator can pass it on. */
export function MadeLink({ link }: { readonly link: CreatedLink }) {
  return (
    <div className="space-y-3">
      <p>{t('users.link.pass_on')}</p>
      <SecretOnce secret={writeLinkAddress(link.secret)} label={t('users.link.copy')} />
      <p className="text-muted">
        {t('link.expires')} <TimeText at={link.expires_at} />
      </p>
    </div>
  )
}
