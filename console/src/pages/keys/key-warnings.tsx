import type { KeyView, KeyWarningView } from '../../../../src/admin/keys/key-contract.ts'
import { t } from '../../language/language.ts'
import { usePermissions } from '../../shell/use-me.ts'
import { joinFirstNames } from '../../ui/join-names.ts'
import { Banner } from '../../ui/states.tsx'

/** Lists the terms of a key that have no effect. A member also sees who can help. */
export function KeyWarnings({ shown }: { readonly shown: KeyView }) {
  const { seesAll } = usePermissions()
  return shown.warning_facts.map((fact) => {
    const said = writeKeyWarning(fact)
    const advice = seesAll ? adviceOf(fact) : t('keys.warning.ask')
    return (
      <Banner key={said} tone="warn">
        {advice === undefined ? said : `${said} ${advice}`}
      </Banner>
    )
  })
}

function adviceOf({ type }: KeyWarningView): string | undefined {
  return type === 'unknown_group' || type === 'refused_for_price' ? t(`keys.advice.${type}`) : undefined
}

/** A warning about a key in the language of the page. The gateway's own text is only in English. */
function writeKeyWarning(fact: KeyWarningView): string {
  switch (fact.type) {
    case 'unserved_model':
    case 'unserved_fallback':
    case 'ungranted_fallback':
      return t(`keys.warning.${fact.type}`, { model: fact.model })
    case 'unmatched_pattern':
      return t('keys.warning.unmatched_pattern', { pattern: fact.pattern })
    case 'withheld_by_group':
      return t('keys.warning.withheld_by_group', { model: fact.model, group: fact.group })
    case 'unknown_group':
      return t('keys.warning.unknown_group', { group: fact.group })
    case 'refused_for_price':
      return t('keys.warning.refused_for_price', { models: joinFirstNames(fact.models) })
  }
}
