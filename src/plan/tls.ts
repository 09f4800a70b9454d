// The `listen.tls` block of gateway.yaml: certificate and key, read and checked at load.

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { dirname, relative, resolve } from 'node:path'
import type { Diagnostics, Place } from '../kernel/diagnostic.ts'
import { readNamedText } from '../kernel/file/read-source.ts'
import type { Source } from '../kernel/file/source.ts'
import { isoDate, parseTime, realClock } from '../world/clock.ts'
import type { TlsFile } from './simulation-file.ts'

/** The TLS options of a server, as PEM texts. */
export interface KeyPair {
  readonly key: string
  readonly cert: string
}

export interface TlsSettings {
  /** `undefined` if a certificate is generated at start. */
  readonly pair: KeyPair | undefined
  /** The authorities for client certificates. */
  readonly ca: string | undefined
  readonly clients: 'required' | 'wanted' | undefined
}

const SELF_SIGNED: TlsSettings = { pair: undefined, ca: undefined, clients: undefined }

/**
 * Reads the files that the block names. Mistakes go to `report`: `no-such-file`, `invalid-certificate`,
 * `invalid-key`, `key-mismatch`, `expired-certificate`, `missing-ca`.
 *
 * @param file the gateway file
 * @returns the paths of the files, also of invalid ones, so that a reload follows once they are mended
 */
export function readTls(
  tls: TlsFile | undefined,
  source: Source,
  file: string,
  home: string,
  report: Diagnostics,
): { readonly settings: TlsSettings | undefined; readonly files: readonly string[] } {
  if (tls === undefined) return { settings: undefined, files: [] }
  if (tls === 'self-signed') return { settings: SELF_SIGNED, files: [] }
  if (typeof tls === 'string') {
    const message = '"tls" must be "self-signed" or a block'
    report.error('invalid-value', message, source.locate(['listen', 'tls']), '{ key: ./key.pem, cert: ./cert.pem }')
    return { settings: undefined, files: [] }
  }
  const at = (name: string): Place => source.locate(['listen', 'tls', name])
  const files: string[] = []
  const read = (name: 'key' | 'cert' | 'ca') => {
    const written = tls[name]
    if (written === undefined) return undefined
    const path = resolve(dirname(file), written)
    files.push(path)
    return readNamedText(path, relative(home, path) || path, at(name), report)
  }
  const { clients } = tls
  const [key, cert, ca] = [read('key'), read('cert'), read('ca')]
  if ((tls.key === undefined) !== (tls.cert === undefined)) {
    const missing = tls.key === undefined ? 'key' : 'cert'
    report.error('missing-key', `"${missing}" is missing`, at('tls'), 'write both "key" and "cert"')
  }
  if (clients !== undefined && tls.ca === undefined) {
    const message = 'client certificates are checked against a list of authorities'
    report.error('missing-ca', message, at('clients'), 'add ca: ./ca.pem')
  }
  if (ca !== undefined) checkCertificate(ca, at('ca'), report)
  const certificate = cert === undefined ? undefined : checkCertificate(cert, at('cert'), report)
  if (key !== undefined) checkKey(key, certificate, tls.cert ?? '', at('key'), report)
  return { settings: { pair: key === undefined || cert === undefined ? undefined : { key, cert }, ca, clients }, files }
}

/** The hint for a PEM file with another content. */
const beginning = (what: string): string => `a PEM file begins with -----BEGIN ${what}-----`

function checkCertificate(text: string, place: Place, report: Diagnostics): X509Certificate | undefined {
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(text)
  } catch {
    report.error('invalid-certificate', 'this file contains no certificate', place, beginning('CERTIFICATE'))
    return undefined
  }
  const now = realClock.now()
  const [from, to] = [parseTime(certificate.validFrom), parseTime(certificate.validTo)]
  const state = now > to ? `expired on ${isoDate(to)}` : now < from ? `is not valid before ${isoDate(from)}` : undefined
  if (state !== undefined) report.error('expired-certificate', `the certificate ${state}`, place)
  return certificate
}

function checkKey(
  text: string,
  certificate: X509Certificate | undefined,
  name: string,
  place: Place,
  report: Diagnostics,
): void {
  try {
    const key = createPrivateKey(text)
    if (certificate?.checkPrivateKey(key) === false) {
      report.error('key-mismatch', `this key does not belong to the certificate in ${name}`, place)
    }
  } catch (error) {
    const locked = (error as NodeJS.ErrnoException).code === 'ERR_MISSING_PASSPHRASE'
    const message = locked ? 'this key is encrypted' : 'this file contains no private key'
    const hint = locked ? 'decrypt it: openssl pkey -in key.pem -out plain.pem' : beginning('PRIVATE KEY')
    report.error('invalid-key', message, place, hint)
  }
}
