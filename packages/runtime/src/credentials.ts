// Who we are to the API server, and how that stays fresh: a fixed value, a token file that is rotated, or a loader (exec plugin).
// Nothing in here is ever logged or put into an error.

/** What goes into a request (the header) and into a TLS handshake (the client certificate). */
export interface Credentials {
  readonly authorization: string | undefined;
  readonly clientCertificate: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
}

export interface CredentialSource {
  /** The credentials of now; from memory unless they are due to be read again. */
  get(): Promise<Credentials>;
  /** They were refused (401): loads them again. @throws when that fails */
  refresh(): Promise<void>;
}
