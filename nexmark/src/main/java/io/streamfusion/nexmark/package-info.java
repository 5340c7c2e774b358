/** Nexmark event generator, queries and the quickstart program. */
package io.streamfusion.nexmark;
